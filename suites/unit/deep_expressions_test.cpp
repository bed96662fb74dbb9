// Groups whose expressions read their own parts twice at every step are compiled in no time: what
// asks about an expression asks each node once, not each way to it.
#include <gtest/gtest.h>

#include "engine/ir/graph.h"
#include "engine/run/plan.h"

namespace fusillade {
namespace {

Tensor pattern_tensor(const Dims& sizes, DType dtype) {
  const Tensor x = Tensor::empty(sizes, dtype);
  for (int64_t i = 0; i < x.numel(); ++i) set_element(x, i, static_cast<double>(i * 7 % 23));
  return x;
}

void expect_same(const std::string& text, const Tensor& x, const Tensor& y) {
  const auto graph = parse_graph(text);
  const Tensor wanted = prepare(*graph, parse_plan("eager"))->run({x, y})[0].as_tensor();
  for (const char* plan : {"vm/fuse(loopnest,interp)", "vm/fuse(loopnest,llvm)"}) {
    const Tensor got = prepare(*graph, parse_plan(plan))->run({x, y})[0].as_tensor();
    for (int64_t i = 0; i < wanted.numel(); ++i)
      ASSERT_EQ(element_as_double(got, i), element_as_double(wanted, i)) << plan << " " << i;
  }
}

// A choice of choices, sixty deep, rounded to sixteen bits at each step.
TEST(DeepExpressions, RunningMaxima) {
  std::string text = "graph(%x0 : Tensor, %y : Tensor):\n";
  for (int i = 0; i < 60; ++i)
    text += fmt::format("  %x{} : Tensor = aten::maximum(%x{}, %y)\n", i + 1, i);
  text += "  return (%x60)\n";
  expect_same(text, pattern_tensor({40}, DType::BF16), pattern_tensor({40}, DType::BF16));
}

// An index of quotients and remainders of such an index, sixty deep.
TEST(DeepExpressions, ReshapesOfReshapes) {
  std::string text =
      "graph(%x0 : Tensor, %y : Tensor):\n"
      "  %a : int[] = prim::Constant[value=[6, 10]]()\n"
      "  %b : int[] = prim::Constant[value=[4, 15]]()\n";
  for (int i = 0; i < 60; ++i) {
    text += fmt::format("  %r{} : Tensor = aten::reshape(%x{}, %{})\n", i, i, i % 2 ? "a" : "b");
    text += fmt::format("  %x{} : Tensor = aten::t(%r{})\n", i + 1, i);
  }
  text += "  %z : Tensor = aten::mul(%x60, %y)\n  %w : Tensor = aten::mul(%z, %y)\n  return (%w)\n";
  expect_same(text, pattern_tensor({60}, DType::F32), pattern_tensor({1, 1}, DType::F32));
}

}  // namespace
}  // namespace fusillade
