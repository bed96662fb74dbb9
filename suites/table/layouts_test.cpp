// How results lie in memory: every line of layouts.txt, which make_layouts.py took from
// PyTorch 1.13.1, against eager, against what is inferred before the run, and fused.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "engine/front/script.h"
#include "engine/ir/types.h"
#include "engine/ops/text.h"
#include "engine/run/plan.h"

namespace fusillade {
namespace {

Dims dims_of(const std::string& text) {
  Dims out;
  std::istringstream numbers(text.substr(1));
  char separator = 0;
  for (int64_t n = 0; numbers >> n;) {
    out.push_back(n);
    numbers >> separator;
  }
  return out;
}

// "[2, 3] [3, 1] rest"
struct Layout {
  Dims sizes, strides;
  std::string rest;
};

Layout layout_of(const std::string& text) {
  const size_t end = text.find(']');
  const size_t second = text.find('[', end), last = text.find(']', second);
  Layout out{dims_of(text.substr(text.find('['), end)), dims_of(text.substr(second, last - second)),
             ""};
  if (last + 2 < text.size()) out.rest = text.substr(last + 2);
  return out;
}

Tensor operand(const Layout& layout) {
  int64_t reach = 1;
  for (int d = 0; d < layout.sizes.rank(); ++d) reach += (layout.sizes[d] - 1) * layout.strides[d];
  const bool any = numel_of(layout.sizes) > 0;
  const Tensor base = Tensor::zeros(Dims{any ? reach : 1}, DType::F32);
  return Tensor::view_of(base, 0, layout.sizes, layout.strides);
}

std::string text_of(const Tensor& y, const Tensor& x) {
  const bool shares = y.numel() > 0 && y.shares_storage(x);
  return fmt::format("{} {} {}", to_string(y.sizes()), to_string(y.strides()),
                     y.same(x) ? "self"
                     : shares  ? "view"
                               : "fresh");
}

class Program {
 public:
  explicit Program(const std::string& expression)
      : module_(compile_script("def f(x):\n    return " + expression + "\n", "f.py")) {
    EXPECT_EQ(module_.errors(), "");
    for (const char* plan : {"eager", "vm/o2,fuse(loopnest,interp)"})
      ready_.push_back(prepare(graph(), parse_plan(plan)));
  }

  std::string run(size_t plan, const Tensor& x) const {
    try {
      return text_of(ready_[plan]->run({IValue(x)})[0].as_tensor(), x);
    } catch (const Error&) {
      return "error";
    }
  }

  // Empty: unknown.
  std::string inferred_layout(const Tensor& x) const {
    const ArgInfo input{IValue(x).type(), {}, false, {}};
    const Value* out = graph().outputs()[0];
    const ArgInfo found = types_of(graph(), {input})[static_cast<size_t>(out->id())];
    const TensorInfo& info = found.type.info();
    return info.complete() ? fmt::format("{} {}", to_string(info.sizes), to_string(info.strides))
                           : "";
  }

 private:
  const Graph& graph() const { return *module_.functions.back(); }

  Script module_;
  std::vector<std::unique_ptr<Executable>> ready_;
};

TEST(Layouts, EqualPyTorchInEagerInferredAndFused) {
  std::ifstream in(std::string(FUSILLADE_SOURCE_DIR) + "/suites/table/layouts.txt");
  std::map<std::string, Program> programs;
  Layout layout;
  int lines = 0, known = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("#")) continue;
    if (line.starts_with("x [")) {
      layout = layout_of(line);
      continue;
    }
    const size_t at = line.find(" => ");
    ASSERT_NE(at, std::string::npos) << line;
    const std::string expression = line.substr(0, at), expected = line.substr(at + 4);
    const Program& program = programs.try_emplace(expression, expression).first->second;
    const Tensor x = operand(layout);
    const std::string where = fmt::format("{} of {}", line, text_of(x, x));
    EXPECT_EQ(program.run(0, x), expected) << where;
    EXPECT_EQ(program.run(1, operand(layout)).substr(0, expected.rfind(' ')),
              expected.substr(0, expected.rfind(' ')))
        << where << ", fused";
    const std::string inferred = program.inferred_layout(x);
    ++lines;
    if (inferred.empty() || expected == "error") continue;
    ++known;
    EXPECT_EQ(inferred, expected.substr(0, expected.rfind(' '))) << where << ", inferred";
  }
  EXPECT_GT(lines, 2000);
  EXPECT_GT(known, lines / 2);
}

}  // namespace
}  // namespace fusillade
