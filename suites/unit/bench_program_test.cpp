// What `# bench:` lines say, and the programs of bench/programs: they run, alike in both engines.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "bench/harness/program.h"
#include "bench/harness/ready.h"
#include "engine/front/autograd.h"

namespace fusillade::bench {
namespace {

constexpr const char* kScaled =
    "import torch\nfrom torch import Tensor\ndef scaled(x: Tensor, k: float):\n    return x * k\n";
constexpr const char* kNet =
    "import torch\nimport torch.nn as nn\nfrom torch import Tensor\n"
    "class Net(nn.Module):\n"
    "    def __init__(self, n: int):\n        super().__init__()\n"
    "        self.weight = nn.Parameter(torch.ones(n))\n"
    "        self.register_buffer('shift', torch.ones(n))\n"
    "    def forward(self, x: Tensor):\n        return x * self.weight + self.shift\n";

class Folder {
 public:
  Folder() : path_(::testing::TempDir() + "/bench_programs_" + std::to_string(getpid())) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_ + "/within");
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  void write(const std::string& name, const std::string& line, const char* text) const {
    std::ofstream(path_ + "/" + name) << "# bench: " << line << "\n" << text;
  }
  std::vector<Program> load(const std::vector<Size>& sizes) const {
    return load_programs(path_, "", sizes);
  }
  std::vector<Program> load() const { return load_programs(path_, ""); }
  std::string error() const {
    try {
      load();
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  }

 private:
  std::string path_;
};

std::vector<std::string> names(const std::vector<Program>& programs) {
  std::vector<std::string> out;
  for (const Program& p : programs) out.push_back(p.name);
  return out;
}

using Names = std::vector<std::string>;

TEST(BenchProgram, ValuesAreSmallMediumAndThenLarge) {
  const Folder folder;
  folder.write("a.py", "f32[N] float=2 N=1,2,3,4", kScaled);
  folder.write("b.py", "f32[3] float=2", kScaled);
  folder.write("c.py", "large f32[N] float=2 N=5,6", kScaled);
  EXPECT_EQ(names(folder.load({Size::Small})), Names({"a/N:1", "b"}));
  EXPECT_EQ(names(folder.load({Size::Medium})), Names({"a/N:2"}));
  EXPECT_EQ(names(folder.load({Size::Large})), Names({"a/N:3", "a/N:4", "c/N:5", "c/N:6"}));
  EXPECT_EQ(folder.load().size(), 7U);
  try {
    load_programs(folder.load()[0].file.substr(0, folder.load()[0].file.rfind('/')), "^c",
                  {Size::Small});
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("2 of other sizes do: --size"), std::string::npos);
  }
}

TEST(BenchProgram, ALineGoesOnBehindABackslash) {
  const Folder folder;
  folder.write("a.py", "f32[N] \\\n# float=2 \\\n# N=1,2", kScaled);
  EXPECT_EQ(names(folder.load()), Names({"a/N:1", "a/N:2"}));
  const Folder cut;
  cut.write("a.py", "f32[N] float=2 N=1 \\", kScaled);
  EXPECT_THROW(cut.load(), Error);
}

TEST(BenchProgram, BackwardIsMeasuredSeparately) {
  const Folder folder;
  folder.write("within/a.py", "backward f32[N] float=2 N=4", kScaled);
  const std::vector<Program> all = folder.load();
  EXPECT_EQ(names(all), Names({"a/N:4", "a/backward/N:4"}));
  EXPECT_EQ(to_string(plan_of(all[0], parse_plan("vm/o2"))), to_string(parse_plan("vm/o2")));
  EXPECT_EQ(to_string(plan_of(all[1], parse_plan("eager"))), "eager");
  EXPECT_EQ(to_string(plan_of(all[1], parse_plan("vm/dce,fuse(tile,interp)"))),
            "vm/dce,fuse(tile,interp),autodiff(whole,mincut,2,tile,interp)");
  EXPECT_EQ(to_string(plan_of(all[1], parse_plan("vm/autodiff,dce"))), "vm/autodiff,dce");
  for (const char* plan : {"eager", "vm/o2"}) {
    Ready ready(all[1], parse_plan(plan), 1, false);
    ready.compile();
    ready.call();
    ready.call();
    const Tensor x = ready.inputs().inputs[0].as_tensor();
    EXPECT_TRUE(x.requires_grad());
    EXPECT_FALSE(eager::records());
  }
}

TEST(BenchProgram, AModulesTensorsAreInputs) {
  const Folder folder;
  folder.write("net.py", "backward Net(4) f32[2,4]", kNet);
  const std::vector<Program> all = folder.load();
  EXPECT_EQ(names(all), Names({"net", "net/backward"}));
  const Program& p = all[1];
  ASSERT_EQ(p.bound_inputs.size(), 2U);
  EXPECT_EQ(p.bound_inputs[0].parameter + p.bound_inputs[1].parameter,
            1);  // of a buffer no gradient is asked
  Ready ready(p, parse_plan("eager"), 1, false);
  const std::vector<IValue>& inputs = ready.inputs().inputs;
  ASSERT_EQ(inputs.size(), 3U);
  EXPECT_TRUE(inputs[0].as_tensor().requires_grad());
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(inputs[1 + i].as_tensor().requires_grad(), p.bound_inputs[i].parameter);
    EXPECT_NE(inputs[1 + i].as_tensor().storage(), p.bound_inputs[i].value.as_tensor().storage());
  }
  ready.compile();
  ready.call();
}

TEST(BenchProgram, BrokenLinesSayWhatIsLegal) {
  const std::pair<const char*, const char*> wrong[] = {
      {"small large f32[2] float=1", "one size is legal"},
      {"Net(2 f32[2]", "a module is written without blanks"},
      {"Net(2) Net(3) f32[2]", "a second module 'Net(3)'"},
      {"Net(2) f32[2] f32[2]", "2 inputs for a function of 1 parameters"},
      {"Net(2) forward", "'forward' is not an input"}};
  for (const auto& [line, says] : wrong) {
    const Folder folder;
    folder.write("net.py", line, kNet);
    EXPECT_NE(folder.error().find(says), std::string::npos) << line << ": " << folder.error();
  }
}

std::string text_of(const std::vector<IValue>& values) {
  std::string out;
  for (const IValue& v : values) {
    if (v.is_sequence()) out += text_of(v.items());
    if (!v.is_tensor()) continue;
    const Tensor t = v.as_tensor();
    for (int64_t k = 0; k < t.numel(); ++k) out += fmt::format("{} ", element_as_double(t, k));
  }
  return out;
}

// Those of the tree compile, and both engines agree to the bit on their results.
TEST(BenchProgram, ThoseOfTheTreeRun) {
  std::set<std::string> files;
  const std::string folder = std::string(FUSILLADE_SOURCE_DIR) + "/bench/programs";
  for (const Program& p : load_programs(folder, "", {Size::Small, Size::Medium})) {
    files.insert(p.file);
    if (p.backward || p.size != Size::Small) continue;
    std::string texts[2];
    const char* plans[] = {"eager", "vm"};
    for (int i = 0; i < 2; ++i)
      texts[i] = text_of(prepare(*p.graph, parse_plan(plans[i]))->run(make_inputs(p, 7).inputs));
    EXPECT_EQ(texts[0], texts[1]) << p.name;
    EXPECT_FALSE(texts[0].empty()) << p.name;
    EXPECT_EQ(texts[0].find("nan"), std::string::npos) << p.name;
  }
  EXPECT_EQ(files.size(), 15U);
}

}  // namespace
}  // namespace fusillade::bench
