// Golden cases of passes: every suites/golden/passes/*.ir holds cases of the form
//
//   # case: what it shows
//   # pipeline: cse
//   graph(...): ...
//   # expect:
//   graph(...): ...
//
// Each is run with verification after every pass; the printed result must equal the expectation,
// parse back to itself, stay valid at every fuel, and not change when an idempotent pipeline of one
// pass runs again. On drawn inputs, the program before and after, eager and on the VM, must give
// the same bits, strides and sharing of memory, in results and in inputs it writes. BLESS=1
// rewrites the expectations.
#include <dirent.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "engine/base/text.h"
#include "engine/ir/visit.h"
#include "engine/run/plan.h"
#include "engine/tensor/random.h"

namespace fusillade {
namespace {

std::string folder() { return std::string(FUSILLADE_SOURCE_DIR) + "/suites/golden/passes"; }

struct Golden {
  std::string title, pipeline, program, expected;
};

std::vector<Golden> read_cases(const std::string& path) {
  std::ifstream in(path);
  std::vector<Golden> out;
  std::string* into = nullptr;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("# case: ", 0) == 0) {
      out.push_back({line.substr(8), "", "", ""});
      into = nullptr;
    } else if (out.empty()) {
      ADD_FAILURE() << path << ": text before the first '# case: '";
      return out;
    } else if (line.rfind("# pipeline: ", 0) == 0) {
      out.back().pipeline = line.substr(12);
      into = &out.back().program;
    } else if (line == "# expect:") {
      into = &out.back().expected;
    } else if (into && !trim(line).empty()) {
      *into += line + "\n";
    }
  }
  return out;
}

void write_cases(const std::string& path, const std::vector<Golden>& cases) {
  std::ofstream out(path);
  for (const Golden& c : cases)
    out << (&c == &cases[0] ? "" : "\n") << "# case: " << c.title << "\n# pipeline: " << c.pipeline
        << "\n"
        << c.program << "# expect:\n"
        << c.expected;
}

std::string optimise(const Golden& c, int64_t fuel, int64_t* rewrites = nullptr) {
  auto graph = parse_graph(c.program, c.title);
  verify(*graph);
  PipelineOptions options;
  options.fuel = fuel;
  options.verify = true;
  int64_t spent = run_pipeline(*graph, parse_pipeline(c.pipeline), options).rewrites;
  if (rewrites) *rewrites = spent;
  return print(*graph);
}

// --- what a run shows

IValue draw(const Type& type, uint64_t seed) {
  switch (type.kind()) {
    case TypeKind::Tensor: {
      const TensorInfo& info = type.info();
      Dims sizes = info.rank_known ? info.sizes : Dims{2, 3};
      for (int64_t& size : sizes) size = size < 0 ? 2 : size;
      Tensor t = Tensor::empty(sizes, info.has_dtype ? info.dtype : DType::F32);
      fill_normal(t, seed, 0);
      if (!info.strides_known) return t;
      Tensor strided = Tensor::view_of(t, 0, sizes, info.strides);
      return strided;
    }
    case TypeKind::Int:
      return IValue(static_cast<int64_t>(seed % 4));
    case TypeKind::Float:
      return IValue(seed % 2 ? -0.0 : 1.5);
    case TypeKind::Bool:
      return IValue(seed % 2 == 1);
    case TypeKind::Tuple: {
      std::vector<IValue> items;
      for (const Type& element : type.elements()) items.push_back(draw(element, seed++));
      return IValue::tuple(std::move(items));
    }
    default:
      fail("the golden test draws no {}", type.text());
  }
}

void flatten(const IValue& v, std::string* text, std::vector<Tensor>* tensors) {
  if (v.is_tensor()) {
    tensors->push_back(v.as_tensor());
    *text += "tensor strides " + to_string(v.as_tensor().strides()) + " ";
  } else if (v.tag() == IValue::Tag::List || v.tag() == IValue::Tag::Tuple) {
    *text += v.tag() == IValue::Tag::List ? "[ " : "( ";
    for (const IValue& item : v.items()) flatten(item, text, tensors);
    *text += "end ";
  } else {
    *text += describe(v) + " ";
  }
}

struct Shown {
  std::string text;  // everything but elements: structure, scalars, strides, who shares memory; or
                     // the error
  std::vector<Tensor> tensors;  // inputs, then results
};

Shown run_and_look(const Graph& graph, const char* engine, uint64_t seed) {
  std::vector<IValue> values;
  for (const Value* v : graph.inputs()) values.push_back(draw(v->type(), seed++));
  Shown shown;
  try {
    std::vector<IValue> results = prepare(graph, parse_plan(engine))->run(values);
    values.insert(values.end(), results.begin(), results.end());
  } catch (const Error&) {
    shown.text = "error";
    return shown;
  }
  for (const IValue& v : values) flatten(v, &shown.text, &shown.tensors);
  for (const Tensor& a : shown.tensors)
    for (size_t i = 0; i < shown.tensors.size(); ++i)
      if (shown.tensors[i].shares_storage(a)) {
        shown.text += std::to_string(i) + " ";
        break;
      }
  return shown;
}

bool deterministic(const Block* block) {
  return !any_node(block, [](const Node* node) { return node->op().nondeterministic; });
}

void expect_same(const Shown& a, const Shown& b) {
  EXPECT_EQ(a.text, b.text);
  if (a.text != b.text) return;
  for (size_t i = 0; i < a.tensors.size(); ++i)
    EXPECT_TRUE(bitwise_equal(a.tensors[i], b.tensors[i])) << "tensor " << i;
}

void check_meaning(const Golden& c, const std::string& optimised_text) {
  auto before = parse_graph(c.program, c.title);
  auto after = parse_graph(optimised_text, "optimised");
  if (!deterministic(before->block())) return;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    Shown reference = run_and_look(*before, "eager", seed);
    for (const char* engine : {"eager", "vm"}) {
      SCOPED_TRACE(engine);
      expect_same(reference, run_and_look(*before, engine, seed));
      expect_same(reference, run_and_look(*after, engine, seed));
    }
  }
}

void check_case(const Golden& c) {
  int64_t rewrites = 0;
  std::string got = optimise(c, -1, &rewrites);
  EXPECT_EQ(got, c.expected);
  EXPECT_EQ(print(*parse_graph(got, "printed")), got);
  check_meaning(c, got);
  for (int64_t fuel = 0; fuel < rewrites; ++fuel) check_meaning(c, optimise(c, fuel));
  std::vector<PassCall> pipeline = parse_pipeline(c.pipeline);
  if (pipeline.size() != 1 || !(pipeline[0].pass->flags & kIdempotent)) return;
  auto graph = parse_graph(got, "again");
  EXPECT_EQ(run_pipeline(*graph, pipeline).rewrites, 0) << print(*graph);
}

std::vector<std::string> files() {
  std::vector<std::string> out;
  DIR* dir = opendir(folder().c_str());
  for (dirent* entry = dir ? readdir(dir) : nullptr; entry; entry = readdir(dir)) {
    std::string name = entry->d_name;
    if (name.size() > 3 && name.substr(name.size() - 3) == ".ir") out.push_back(name);
  }
  if (dir) closedir(dir);
  std::sort(out.begin(), out.end());
  return out;
}

TEST(GoldenPasses, All) {
  size_t count = 0;
  for (const std::string& file : files()) {
    std::string path = folder() + "/" + file;
    std::vector<Golden> cases = read_cases(path);
    for (Golden& c : cases) {
      SCOPED_TRACE(file + ": " + c.title);
      try {
        if (std::getenv("BLESS")) c.expected = optimise(c, -1);
        check_case(c);
      } catch (const std::exception& e) {
        ADD_FAILURE() << e.what();
      }
      ++count;
    }
    if (std::getenv("BLESS")) write_cases(path, cases);
  }
  EXPECT_GE(count, 60u);
}

// Passes that tests register for themselves are called test_*.
TEST(GoldenPasses, EveryPassHasAFile) {
  std::vector<std::string> names = files();
  for (const Pass* pass : Table<Pass>::instance().by_name())
    EXPECT_TRUE(pass->name.rfind("test_", 0) == 0 ||
                std::count(names.begin(), names.end(), pass->name + ".ir"))
        << pass->name;
}

}  // namespace
}  // namespace fusillade
