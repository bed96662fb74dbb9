// Literals of fused kernels: the value of an int among floats, beyond what float64 holds.
#include <gtest/gtest.h>

#include "engine/base/probe.h"
#include "engine/ir/graph.h"
#include "engine/run/plan.h"
#include "engine/tensor/domain.h"

namespace fusillade {
namespace {

// x * c as eager mode gives it and as a kernel does, all elements alike.
void meets(int64_t c, DType dtype, const char* fuser) {
  const auto graph = parse_graph(
      "graph(%x : Tensor):\n  %c : int = prim::Constant[value=" + std::to_string(c) +
      "]()\n  %y : Tensor = aten::mul(%x, %c)\n  %z : Tensor = aten::mul(%y, %x)\n  return (%z)\n");
  const uint64_t before = probe("fuse/launched").count();
  const Tensor x = Tensor::empty({5}, dtype);
  for (int64_t i = 0; i < x.numel(); ++i) set_element(x, i, static_cast<double>(i) - 1);
  const std::vector<IValue> inputs = {x};
  const auto wanted = prepare(*graph, parse_plan("eager"))->run(inputs);
  const auto given = prepare(*graph, parse_plan(fuser))->run(inputs);
  EXPECT_TRUE(bitwise_equal(wanted[0].as_tensor(), given[0].as_tensor())) << c << " " << fuser;
  EXPECT_GT(probe("fuse/launched").count(), before);
}

TEST(LoopnestLiteral, IsWhatTheIntIs) {
  // 2^53 + 2^29 + 1: by way of float64 it is rounded twice on its way to float32.
  const int64_t ints[] = {INT64_MAX, INT64_MIN, 9007199791611905, -9007199791611905, 3};
  for (const Domain domain : {Domain::Real, Domain::Ring}) {
    DomainScope scope(domain);
    for (const int64_t c : ints)
      for (const DType dtype : {DType::F64, DType::F32})
        for (const char* fuser : {"vm/fuse(loopnest,interp)", "vm/fuse(loopnest,llvm)"})
          meets(c, dtype, fuser);
  }
}

}  // namespace
}  // namespace fusillade
