// Golden kernels: every suites/golden/kernels/*.ir is a group, its inputs' types complete, that
// says its fuser in its first line ("# fuser: tile"). What the fuser makes of it, loops of
// `loopnest` as grids, is in NAME.kir, schedules and Kernel IR, and in NAME.cu, CUDA text. BLESS=1
// writes both.
#include <dirent.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "engine/fuse/on_grids.h"
#include "engine/kernel/cuda.h"

namespace fusillade {
namespace {

std::string folder() { return std::string(FUSILLADE_SOURCE_DIR) + "/suites/golden/kernels"; }

std::string read(const std::string& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::string> names() {
  std::vector<std::string> out;
  DIR* d = opendir(folder().c_str());
  while (const dirent* entry = d ? readdir(d) : nullptr) {
    const std::string name = entry->d_name;
    if (name.ends_with(".ir")) out.push_back(name.substr(0, name.size() - 3));
  }
  if (d) closedir(d);
  return out;
}

fuse::Lowered lower_golden(const std::string& text) {
  constexpr std::string_view kFuser = "# fuser: ";
  if (!text.starts_with(kFuser)) fail("a golden kernel begins with '{}'", kFuser);
  const std::string fuser = text.substr(kFuser.size(), text.find('\n') - kFuser.size());
  const auto graph = parse_graph(text.substr(text.find('\n') + 1));
  std::vector<fuse::ArgSpec> args;
  for (const Value* v : graph->inputs()) {
    const TensorInfo& info = v->type().info();
    args.push_back({true, info.dtype, info.sizes, info.strides});
  }
  return fuse::on_grids(fuse::fuser(fuser).lower(*graph, args, nullptr));
}

void expect_as_blessed(const std::string& path, const std::string& actual) {
  if (std::getenv("BLESS")) std::ofstream(path) << actual;
  EXPECT_EQ(actual, read(path)) << path << "; BLESS=1 rewrites it";
}

TEST(GoldenKernels, AsBlessed) {
  EXPECT_GE(names().size(), 5u);
  for (const std::string& name : names()) {
    const std::string path = folder() + "/" + name;
    const fuse::Lowered lowered = lower_golden(read(path + ".ir"));
    check(lowered.kernel);
    std::string text;
    for (const fuse::Schedule& s : lowered.launches) text += "# " + to_string(s) + "\n";
    expect_as_blessed(path + ".kir", text + print(lowered.kernel));
    expect_as_blessed(path + ".cu", cuda_text(lowered.kernel, name).functions);
  }
}

}  // namespace
}  // namespace fusillade
