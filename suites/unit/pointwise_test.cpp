// The pointwise fuser: how elements are shared out among threads, which grids a group becomes, and
// that every back end computes with them what eager mode does.
#include <gtest/gtest.h>

#include "engine/base/probe.h"
#include "engine/fuse/grid.h"
#include "engine/fuse/lowering.h"
#include "engine/ir/graph.h"
#include "engine/kernel/cuda.h"
#include "engine/run/plan.h"
#include "engine/tensor/domain.h"

namespace fusillade {
namespace {

TEST(Pointwise, EveryElementHasOneThread) {
  for (int64_t n = 1; n < 3000; ++n) {
    const fuse::GridSchedule s = fuse::schedule_of(n);
    const int64_t all = s.blocks * s.threads * s.iterations;
    ASSERT_GE(all, n);
    ASSERT_LT(all - s.threads * s.iterations, n) << "a block too many";
    ASSERT_TRUE(s.threads % kernel::kWarp == 0 && s.threads <= kernel::kMostThreads);
  }
}

constexpr const char* kProgram =
    "graph(%x : Tensor, %y : Tensor):\n"
    "  %a : Tensor = aten::mul(%x, %y)\n"
    "  %b : Tensor = aten::tanh(%a)\n"
    "  %c : Tensor = aten::sub(%b, %x)\n"
    "  return (%c)\n";

// `small` is read by a larger value and again, so that it is computed once, in memory.
constexpr const char* kShared =
    "graph(%x : Tensor, %y : Tensor):\n"
    "  %small : Tensor = aten::mul(%y, %y)\n"
    "  %a : Tensor = aten::mul(%x, %small)\n"
    "  %b : Tensor = aten::sub(%small, %y)\n"
    "  %c : Tensor = aten::mul(%a, %b)\n"
    "  return (%c, %b)\n";

fuse::ArgSpec spec(Dims sizes, Dims strides, DType dtype = DType::F32) {
  return {true, dtype, sizes, strides};
}

kernel::Kernel lower(const char* program, const std::vector<fuse::ArgSpec>& args) {
  return fuse::fuser("pointwise").lower(*parse_graph(program), args, nullptr).kernel;
}

size_t dimensions(const kernel::Kernel& k) {
  return static_cast<size_t>(k.buffers[0].sizes.rank());
}

TEST(Pointwise, DimensionsThatAllWalkInStepAreOne) {
  const fuse::ArgSpec dense = spec({4, 5, 6}, {30, 6, 1});
  EXPECT_EQ(dimensions(lower(kProgram, {dense, dense})), 1u);
  EXPECT_EQ(dimensions(lower(kProgram, {dense, spec({4, 5, 6}, {60, 12, 2})})), 1u);
  EXPECT_EQ(dimensions(lower(kProgram, {dense, spec({4, 5, 6}, {60, 6, 1})})), 2u) << "a gap";
  EXPECT_EQ(dimensions(lower(kProgram, {dense, spec({4, 5, 1}, {5, 1, 1})})), 2u) << "broadcast";
  EXPECT_EQ(dimensions(lower(kProgram, {dense, spec({4, 5, 6}, {1, 4, 20})})), 3u);
}

TEST(Pointwise, WhatLargerValuesReadIsWrittenByAGridBefore) {
  const kernel::Kernel k = lower(kShared, {spec({3, 40}, {40, 1}), spec({40}, {1})});
  EXPECT_GE(k.body.size(), 2u);
  const kernel::CudaText text = kernel::cuda_text(k, "k");
  EXPECT_EQ(text.launches.size(), k.body.size());
  const kernel::Kernel same = lower(kShared, {spec({40}, {1}), spec({40}, {1})});
  EXPECT_EQ(same.body.size(), 1u) << "of one size, one grid makes both";
}

// A mask where elements end inside a block, none where they fill all.
TEST(Pointwise, MaskOfTheTail) {
  const auto text = [](int64_t n) {
    const fuse::ArgSpec x = spec({n}, {1});
    return print(lower(kProgram, {x, x}));
  };
  EXPECT_NE(text(33).find("if "), std::string::npos);
  EXPECT_EQ(text(128).find("if "), std::string::npos);
}

Tensor test_tensor(Dims sizes, DType dtype, double first) {
  Tensor t = Tensor::empty(sizes, dtype);
  for (int64_t i = 0; i < t.numel(); ++i)
    set_element(t, i, first + static_cast<double>(i % 37) / 4 - (i % 3 == 0 ? 5 : 0));
  return t;
}

TEST(Pointwise, EveryBackEndIsEager) {
  const uint64_t before = probe("fuse/launched").count();
  int runs = 0;
  for (const Domain domain : {Domain::Real, Domain::Ring}) {
    DomainScope scope(domain);
    for (const DType dtype : {DType::F32, DType::F64, DType::BF16}) {
      for (const auto& [x, y] : std::vector<std::pair<Dims, Dims>>{
               {{33}, {33}}, {{3, 43}, {43}}, {{5, 1, 7}, {5, 9, 1}}, {{1500}, {1}}, {{}, {65}}}) {
        const std::vector<IValue> inputs = {test_tensor(x, dtype, 0.5), test_tensor(y, dtype, -1)};
        const auto graph = parse_graph(kShared);
        const auto wanted = prepare(*graph, parse_plan("eager"))->run(inputs);
        for (const char* plan : {"vm/fuse(pointwise,interp)", "vm/fuse(pointwise,llvm)",
                                 "vm/fuse(pointwise,cuda-emulated)"}) {
          const auto given = prepare(*graph, parse_plan(plan))->run(inputs);
          ++runs;
          for (size_t i = 0; i < wanted.size(); ++i)
            EXPECT_TRUE(bitwise_equal(wanted[i].as_tensor(), given[i].as_tensor()))
                << plan << " " << to_string(x) << " " << to_string(y) << " " << name_of(dtype);
        }
      }
    }
  }
  EXPECT_EQ(probe("fuse/launched").count() - before, static_cast<uint64_t>(runs));
}

TEST(Pointwise, ViewsAndReductionsStayOutside) {
  const auto graph = parse_graph(
      "graph(%x : Tensor):\n  %n : NoneType = prim::Constant()\n"
      "  %a : Tensor = aten::mul(%x, %x)\n  %b : Tensor = aten::t(%a)\n"
      "  %c : Tensor = aten::sum(%b, %n)\n  return (%a, %c)\n");
  for (const Node* node : graph->block()->nodes())
    EXPECT_EQ(fuse::fuser("pointwise").may_fuse_with(node, {}),
              node->output() == graph->outputs()[0])
        << node->op().name;
}

}  // namespace
}  // namespace fusillade
