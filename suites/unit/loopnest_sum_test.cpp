// Sums in fused kernels: lines of an array are summed by themselves, so that no line is rounded to
// the size of all that came before it.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/base/probe.h"
#include "engine/ir/graph.h"
#include "engine/run/plan.h"

namespace fusillade {
namespace {

// (x - mean) / deviation of a million elements around 10,000.
TEST(LoopnestSum, OfManyLinesIsAsExactAsOfOne) {
  const auto graph = parse_graph(
      "graph(%x : Tensor):\n  %n : NoneType = prim::Constant()\n"
      "  %one : int = prim::Constant[value=1]()\n  %yes : bool = prim::Constant[value=1]()\n"
      "  %m : Tensor = aten::mean(%x, %n)\n  %d : Tensor = aten::sub(%x, %m, %one)\n"
      "  %s : Tensor = aten::std(%x, %yes)\n  %y : Tensor = aten::div(%d, %s)\n  return (%y)\n");
  for (const Dims& sizes : {Dims{1000, 100}, Dims{10, 100, 100}, Dims{2, 50000}, Dims{2, 500, 100},
                            Dims{40000, 2}, Dims{4000, 31}}) {
    const Tensor x = Tensor::empty(sizes, DType::F32);
    for (int64_t i = 0; i < x.numel(); ++i)
      set_element(x, i, 10000 + static_cast<double>(i % 16) / 4 - 1.875);
    const double deviation = std::sqrt((16 * 16 - 1) / 12.0 / 16);
    for (const char* plan : {"vm/fuse(loopnest,interp)", "vm/fuse(loopnest,llvm)"}) {
      const uint64_t before = probe("fuse/launched").count();
      const Tensor y = prepare(*graph, parse_plan(plan))->run({x})[0].as_tensor();
      EXPECT_GT(probe("fuse/launched").count(), before);
      EXPECT_NEAR(element_as_double(y, 0), -1.875 / deviation, 0.02) << plan << to_string(sizes);
      EXPECT_NEAR(element_as_double(y, 15), 1.875 / deviation, 0.02) << plan << to_string(sizes);
    }
  }
}

// A sum is taken in the loop that stores its elements, whose bits are what they are without it.
TEST(LoopnestSum, OfWhatIsStoredChangesNoBitOfIt) {
  const std::string head =
      "graph(%x : Tensor):\n  %n : NoneType = prim::Constant()\n"
      "  %one : int = prim::Constant[value=1]()\n  %no : bool = prim::Constant[value=0]()\n"
      "  %d : int[] = prim::ListConstruct(%one)\n  %y : Tensor = aten::sub(%x, %one, %one)\n"
      "  %e : Tensor = aten::exp(%y)\n  %p : Tensor = aten::mul(%e, %y)\n";
  const auto alone = parse_graph(head + "  return (%p)\n");
  const auto both =
      parse_graph(head + "  %s : Tensor = aten::sum(%p, %d, %no, %n)\n  return (%p, %s)\n");
  for (const Dims& sizes : {Dims{3, 7}, Dims{5, 100}, Dims{64, 1024}}) {
    const Tensor x = Tensor::empty(sizes, DType::F32);
    for (int64_t i = 0; i < x.numel(); ++i) set_element(x, i, static_cast<double>(i % 37) / 8 - 2);
    const auto plan = parse_plan("vm/fuse(loopnest,llvm)");
    const Tensor want = prepare(*alone, plan)->run({x})[0].as_tensor();
    const auto got = prepare(*both, plan)->run({x});
    for (int64_t r = 0; r < sizes[0]; ++r) {
      double sum = 0, size = 0;
      for (int64_t i = r * sizes[1]; i < (r + 1) * sizes[1]; ++i) {
        ASSERT_EQ(element_as_double(got[0].as_tensor(), i), element_as_double(want, i)) << i;
        sum += element_as_double(want, i);
        size += std::fabs(element_as_double(want, i));
      }
      EXPECT_NEAR(element_as_double(got[1].as_tensor(), r), sum, 1e-6 * size);
    }
  }
}

// Columns of 4,000 rows, of which no loop has lanes: their means take no part of a unit away.
TEST(LoopnestSum, OfColumnsIsAsExactAsOfRows) {
  const auto graph = parse_graph(
      "graph(%x : Tensor):\n  %n : NoneType = prim::Constant()\n"
      "  %one : int = prim::Constant[value=1]()\n  %no : bool = prim::Constant[value=0]()\n"
      "  %zero : int = prim::Constant[value=0]()\n  %d : int[] = prim::ListConstruct(%zero)\n"
      "  %y : Tensor = aten::mul(%x, %one)\n  %m : Tensor = aten::mean(%y, %d, %no, %n)\n"
      "  %z : Tensor = aten::sub(%m, %one, %one)\n  return (%z)\n");
  const Tensor x = Tensor::empty({4000, 8}, DType::F32);
  for (int64_t i = 0; i < x.numel(); ++i)
    set_element(x, i, 10000 + static_cast<double>(i / 8 % 16) / 16);
  for (const char* plan : {"vm/fuse(loopnest,interp)", "vm/fuse(loopnest,llvm)"}) {
    const uint64_t before = probe("fuse/launched").count();
    const Tensor z = prepare(*graph, parse_plan(plan))->run({x})[0].as_tensor();
    EXPECT_GT(probe("fuse/launched").count(), before);
    EXPECT_NEAR(element_as_double(z, 3), 9999 + 7.5 / 16, 0.001) << plan;
  }
}

// What has no lanes is added one element after the other, lines of the last dimension too: a
// function without vectors, integers, and strided elements.
TEST(LoopnestSum, OfWhatHasNoLanesIsAsExact) {
  const std::string head =
      "graph(%x : Tensor):\n  %n : NoneType = prim::Constant()\n"
      "  %one : int = prim::Constant[value=1]()\n  %two : int = prim::Constant[value=2]()\n"
      "  %no : bool = prim::Constant[value=0]()\n  %zero : int = prim::Constant[value=0]()\n"
      "  %most : float = prim::Constant[value=20000.]()\n"
      "  %d : int[] = prim::ListConstruct(%one)\n";
  const std::string tail =
      "  %m : Tensor = aten::mean(%y, %d, %no, %n)\n"
      "  %z : Tensor = aten::sub(%m, %one, %one)\n  return (%z)\n";
  const Tensor x = Tensor::empty({2, 4096}, DType::F32);
  for (int64_t i = 0; i < x.numel(); ++i)
    set_element(x, i, 10000 + static_cast<double>(i % 16) / 16);
  for (const char* body :
       {"  %y : Tensor = aten::fmod(%x, %most)\n", "  %y : Tensor = aten::remainder(%x, %most)\n",
        "  %v : Tensor = aten::slice(%x, %one, %zero, %n, %two)\n"
        "  %y : Tensor = aten::mul(%v, %one)\n"}) {
    const auto graph = parse_graph(head + body + tail);
    const double mean = std::string(body).find("slice") == std::string::npos ? 7.5 : 7.0;
    for (const char* plan : {"vm/fuse(loopnest,interp)", "vm/fuse(loopnest,llvm)"}) {
      const uint64_t before = probe("fuse/launched").count();
      const Tensor z = prepare(*graph, parse_plan(plan))->run({x})[0].as_tensor();
      EXPECT_GT(probe("fuse/launched").count(), before) << body;
      EXPECT_NEAR(element_as_double(z, 1), 9999 + mean / 16, 0.001) << plan << body;
    }
  }
}

// Elements that are rounded to sixteen bits on their way have lanes, and a sum each.
TEST(LoopnestSum, OfSixteenBitsHasLanes) {
  const Tensor x = Tensor::empty({2, 4096}, DType::F32);
  for (int64_t i = 0; i < x.numel(); ++i) set_element(x, i, 1000 + static_cast<double>(i % 16) / 2);
  for (int dtype : {5, 15}) {  // half, bfloat16
    const auto graph = parse_graph(fmt::format(
        "graph(%x : Tensor):\n  %n : NoneType = prim::Constant()\n"
        "  %one : int = prim::Constant[value=1]()\n  %no : bool = prim::Constant[value=0]()\n"
        "  %short : int = prim::Constant[value={}]()\n  %float : int = prim::Constant[value=6]()\n"
        "  %d : int[] = prim::ListConstruct(%one)\n"
        "  %h : Tensor = aten::to(%x, %short, %no, %no)\n"
        "  %y : Tensor = aten::to(%h, %float, %no, %no)\n"
        "  %m : Tensor = aten::mean(%y, %d, %no, %n)\n  return (%m)\n",
        dtype));
    const Tensor wanted = prepare(*graph, parse_plan("eager"))->run({x})[0].as_tensor();
    const uint64_t before = probe("fuse/launched").count();
    const Tensor m = prepare(*graph, parse_plan("vm/fuse(loopnest,llvm)"))->run({x})[0].as_tensor();
    EXPECT_GT(probe("fuse/launched").count(), before);
    EXPECT_NEAR(element_as_double(m, 1), element_as_double(wanted, 1), 5e-4) << dtype;
  }
}

}  // namespace
}  // namespace fusillade
