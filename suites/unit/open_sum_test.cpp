// What is added to a product may be added in any order by engines that say so, by no others, and
// nothing further off is legal.
#include "fuzz/run/open_sum.h"

#include <gtest/gtest.h>

#include "fuzz/run/outcome.h"

namespace fusillade::fuzz {
namespace {

Tensor of(const Dims& sizes, const std::vector<double>& values) {
  Tensor t = Tensor::empty(sizes, DType::F32);
  for (size_t i = 0; i < values.size(); ++i) set_element(t, static_cast<int64_t>(i), values[i]);
  return t;
}

// Of the last result's first element.
Bounded bound_of(const std::string& ir, const std::vector<IValue>& inputs, bool joined) {
  EngineDeviation allowed;
  allowed.adds_into_products = joined;
  Shadow shadow(Shadow::Of::Any, &allowed);
  const Tensor t = shadow.run(*parse_graph(ir), inputs).back().as_tensor();
  return shadow.cells(t).real[static_cast<size_t>(t.offset())];
}

const std::string kAdd = "  %one : int = prim::Constant[value=1]()\n";
const std::string kConv =
    "graph(%x : Tensor, %w : Tensor, %b : Tensor, %t : Tensor):\n" + kAdd +
    "  %s : int[] = prim::Constant[value=[1]]()\n  %p : int[] = prim::Constant[value=[0]]()\n"
    "  %y : Tensor = aten::conv2d(%x, %w, %b, %s, %p, %s, %one)\n"
    "  %z : Tensor = aten::add(%y, %t, %one)\n";

std::vector<IValue> inputs() {
  return {IValue(of({1, 1, 1, 1}, {1})), IValue(of({1, 1, 1, 1}, {1})), IValue(of({1}, {1})),
          IValue(of({1, 1, 1, 1}, {0x1p24}))};
}

// (x + b) + t and (t + x) + b differ by an ulp.
constexpr double kAsWritten = 0x1p24 + 2, kReordered = 0x1p24;

TEST(OpenSum, AConvolutionTakesWhatIsAddedToItInAnyOrder) {
  const std::string ir = kConv + "  return (%z)\n";
  const Bounded steps = bound_of(ir, inputs(), false), joined = bound_of(ir, inputs(), true);
  EXPECT_TRUE(admits(steps, kAsWritten) && !admits(steps, kReordered));
  EXPECT_TRUE(admits(joined, kAsWritten) && admits(joined, kReordered));
  const double ulp = 2;
  EXPECT_FALSE(admits(joined, kReordered - 6 * ulp) || admits(joined, kAsWritten + 6 * ulp));
}

TEST(OpenSum, FurtherSumsAreOfTheSameSum) {
  const std::string ir = kConv + "  %u : Tensor = aten::add(%t, %z, %one)\n  return (%u)\n";
  const std::vector<IValue> given = inputs();
  const Bounded steps = bound_of(ir, given, false), joined = bound_of(ir, given, true);
  EXPECT_LT(steps.hi - steps.lo, joined.hi - joined.lo);
  EXPECT_TRUE(admits(joined, 0x1p25) && admits(joined, 0x1p25 + 4));
  EXPECT_FALSE(admits(joined, 0x1p25 + 64));
}

// What is no sum of products stays as written: a function of one, and a sum of two others.
TEST(OpenSum, WhatLiesBetweenClosesIt) {
  const std::string relu =
      "graph(%a : Tensor, %b : Tensor, %c : Tensor, %t : Tensor):\n" + kAdd +
      "  %y : Tensor = aten::addmm(%c, %a, %b, %one, %one)\n  %n : Tensor = aten::neg(%y)\n"
      "  %z : Tensor = aten::add(%n, %t, %one)\n  return (%z)\n";
  const std::string sums =
      "graph(%a : Tensor, %b : Tensor, %c : Tensor, %t : Tensor):\n" + kAdd +
      "  %y : Tensor = aten::add(%a, %c, %one)\n  %z : Tensor = aten::add(%y, %t, %one)\n"
      "  return (%z)\n";
  const std::vector<IValue> given = {IValue(of({1, 1}, {-7.303860664367676})),
                                     IValue(of({1, 1}, {1})), IValue(of({1, 1}, {-622.3095703125})),
                                     IValue(of({1, 1}, {-80.81429290771484}))};
  for (const std::string& ir : {relu, sums}) {
    const Bounded steps = bound_of(ir, given, false), joined = bound_of(ir, given, true);
    EXPECT_EQ(steps.lo, joined.lo);
    EXPECT_EQ(steps.hi, joined.hi);
  }
  EXPECT_FALSE(admits(bound_of(sums, given, true), kReordered));
}

}  // namespace
}  // namespace fusillade::fuzz
