// What a bench counts of a steady call: memory, bytes and operations that one can count by hand.
#include "bench/harness/cost.h"

#include <gtest/gtest.h>

#include "bench/harness/measure.h"
#include "engine/front/script.h"
#include "engine/kernel/work.h"

namespace fusillade::bench {
namespace {

Program program_of(const std::string& body, std::vector<std::string> inputs) {
  Program p{"p", "", nullptr, std::move(inputs)};
  p.graph = compile_script(body, "program.py").functions.back()->clone();
  return p;
}

Cost cost(const Program& p, const std::string& plan) {
  return cost_of_call(p, parse_plan(plan), 1, false).value();
}

const char kChain[] = R"(
def f(x: Tensor, y: Tensor) -> Tensor:
    return (x * y + x) * y
)";

TEST(Cost, OperatorsMoveWhatTheyReadAndWrite) {
  const Program p = program_of(kChain, {"f32[1000]", "f32[1000]"});
  const Cost c = cost(p, "eager");
  EXPECT_EQ(c.bytes, 3 * 3 * 4000);
  EXPECT_EQ(c.flops, 3 * 1000);  // alpha is 1, so the sum is no product besides
}

TEST(Cost, AKernelReadsItsInputsOnce) {
  const Program p = program_of(kChain, {"f32[1000]", "f32[1000]"});
  const Cost c = cost(p, "vm/o2,fuse(loopnest,interp)");
  EXPECT_EQ(c.bytes, 3 * 4000);
  EXPECT_EQ(c.flops, 3 * 1000);
  EXPECT_EQ(c.memory.allocations, 1);
  EXPECT_EQ(c.memory.peak_bytes, 4000);
  EXPECT_EQ(c.footprint, 3 * 4000);
}

TEST(Cost, DynamicSizesAreThoseOfTheCall) {
  const Program p = program_of(kChain, {"f32[1000]", "f32[1000]"});
  const Cost c = cost(p, "jit(static=0,dynamic=2)/o2,fuse(loopnest,interp)");
  EXPECT_EQ(c.bytes, 3 * 4000);
  EXPECT_EQ(c.flops, 3 * 1000);
}

TEST(Cost, ProductsOfMatrices) {
  const Program p = program_of("def f(a: Tensor, b: Tensor):\n    return torch.mm(a, b)\n",
                               {"f32[30,50]", "f32[50,20]"});
  const Cost c = cost(p, "vm/o2");
  EXPECT_EQ(c.flops, 2 * 30 * 50 * 20);
  EXPECT_EQ(c.bytes, 4 * (30 * 50 + 50 * 20 + 30 * 20));
}

TEST(Cost, ConvolutionsCountAsTheirBodySays) {
  const Program p = program_of("def f(x: Tensor, w: Tensor):\n    return torch.conv2d(x, w)\n",
                               {"f32[1,3,10,10]", "f32[4,3,3,3]"});
  const Cost c = cost(p, "eager");
  EXPECT_EQ(c.flops, 2 * (4 * 8 * 8) * (3 * 3 * 3));
  EXPECT_EQ(c.bytes, 4 * (300 + 4 * 27 + 4 * 64));
}

TEST(Cost, ReductionsAndViews) {
  const Program p =
      program_of("def f(x: Tensor):\n    return torch.sum(x.t(), 0)\n", {"f32[30,50]"});
  const Cost c = cost(p, "eager");
  EXPECT_EQ(c.flops, 1500);
  EXPECT_EQ(c.bytes, 4 * (1500 + 30));
}

TEST(Cost, BroadcastOperandsAreReadOnce) {
  const Program p = program_of("def f(x: Tensor, y: Tensor):\n    return x * y.expand(30, 50)\n",
                               {"f32[30,50]", "f32[50]"});
  EXPECT_EQ(cost(p, "eager").bytes, 4 * (1500 + 50 + 1500));
}

TEST(Cost, MemoryIsWhatIsKeptAtOnce) {
  const Program p = program_of(R"(
def f(x: Tensor):
    a = x + 1.0
    b = a * 2.0
    return b + a
)",
                               {"f32[65536]"});
  const Cost c = cost(p, "eager");
  EXPECT_EQ(c.memory.peak_bytes, 3 * 4 * 65536);
  EXPECT_GE(c.memory.allocations, 1);
}

TEST(Cost, IsTheSameEachTime) {
  const Program p = program_of(kChain, {"f32[1000]", "f32[1000]"});
  for (const char* plan : {"eager", "vm/o2", "jit/o2,fuse(loopnest,llvm)"}) {
    const Cost one = cost(p, plan), other = cost(p, plan);
    EXPECT_EQ(one.memory.allocations, other.memory.allocations) << plan;
    EXPECT_EQ(one.memory.peak_bytes, other.memory.peak_bytes) << plan;
    EXPECT_EQ(one.bytes, other.bytes) << plan;
    EXPECT_EQ(one.flops, other.flops) << plan;
  }
}

TEST(Cost, BreakEven) {
  Measured base, m;
  base.compile.value = 1, base.first_call.value = 1, base.call.value = 2;
  m.compile.value = 10, m.first_call.value = 1, m.call.value = 1;
  EXPECT_EQ(break_even(base, m), 10);
  m.call.value = 3;
  EXPECT_EQ(break_even(base, m), std::nullopt);
  m.compile.value = 0.5;
  EXPECT_EQ(break_even(base, m), std::nullopt);  // cheaper to make, dearer for ever
  m.call.value = 1;
  EXPECT_EQ(break_even(base, m), 1);
}

}  // namespace
}  // namespace fusillade::bench
