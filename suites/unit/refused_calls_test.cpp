// Calls that rows refuse as PyTorch 2.13 does, of rows that 1.13.1, which writes the samples,
// lacks.
#include <gtest/gtest.h>

#include "engine/ir/interpret.h"

namespace fusillade {
namespace {

using Values = std::vector<IValue>;

TEST(RefusedCalls, SqueezeNamesEachDimOnce) {
  const Row& squeeze = row("aten::squeeze.dims");
  for (const Tensor& t : {Tensor::zeros({}, DType::F32), Tensor::zeros({1}, DType::F32)}) {
    for (const Dims& dims : {Dims{0}, Dims{-1}})
      EXPECT_EQ(call(squeeze, Values{t, IValue::int_list(dims)})[0].as_tensor().rank(), 0);
    for (const Dims& dims : {Dims{0, 0}, Dims{0, -1}, Dims{1}, Dims{-2}})
      EXPECT_THROW(call(squeeze, Values{t, IValue::int_list(dims)}), Error) << to_string(dims);
  }
}

TEST(RefusedCalls, ChunksAreJoinedOfOneDtype) {
  const Row& chunk_cat = row("aten::_chunk_cat");
  const Tensor whole = Tensor::zeros({2}, DType::I32), real = Tensor::zeros({2}, DType::F32);
  const auto joined = [&](const Tensor& a, const Tensor& b) {
    return call(chunk_cat, Values{IValue::list({a, b}, TypeKind::Tensor), int64_t{0}, int64_t{2}});
  };
  EXPECT_EQ(joined(real, real)[0].as_tensor().sizes(), Dims({2, 2}));
  EXPECT_THROW(joined(real, whole), Error);
}

}  // namespace
}  // namespace fusillade
