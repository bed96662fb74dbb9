// Calls that operators refuse as PyTorch 2.13 does and 1.13.1, which writes the samples, does not,
// and what operators give where both are wrong.
#include <gtest/gtest.h>

#include "engine/ir/interpret.h"

namespace fusillade {
namespace {

using Values = std::vector<IValue>;

TEST(RefusedCalls, SqueezeNamesEachDimOnce) {
  const Operator& squeeze = operator_named("aten::squeeze.dims");
  for (const Tensor& t : {Tensor::zeros({}, DType::F32), Tensor::zeros({1}, DType::F32)}) {
    for (const Dims& dims : {Dims{0}, Dims{-1}})
      EXPECT_EQ(call(squeeze, Values{t, IValue::int_list(dims)})[0].as_tensor().rank(), 0);
    for (const Dims& dims : {Dims{0, 0}, Dims{0, -1}, Dims{1}, Dims{-2}})
      EXPECT_THROW(call(squeeze, Values{t, IValue::int_list(dims)}), Error) << to_string(dims);
  }
}

// Bytes are counted by 64 bits: a size that wraps around is no small one.
TEST(RefusedCalls, NothingIsResizedBeyondMemory) {
  const Operator& resize = operator_named("aten::resize_");
  const Tensor t = Tensor::zeros({24}, DType::F32);
  const int64_t wraps = int64_t{1} << 62;
  for (const Dims& sizes : {Dims{wraps}, Dims{wraps / 2, 2}, Dims{INT64_MAX}, Dims{wraps, 0, 4},
                            Dims{-1}, Dims{wraps / 2 - 1}}) {
    EXPECT_THROW(call(resize, Values{t, IValue::int_list(sizes), IValue()}), Error);
    EXPECT_EQ(t.sizes(), Dims{24}) << to_string(sizes);
  }
  call(resize, Values{t, IValue::int_list(Dims{5, 0}), IValue()});
  EXPECT_EQ(t.sizes(), (Dims{5, 0}));
}

TEST(RefusedCalls, ChunksAreJoinedOfOneDtype) {
  const Operator& chunk_cat = operator_named("aten::_chunk_cat");
  const Tensor whole = Tensor::zeros({2}, DType::I32), real = Tensor::zeros({2}, DType::F32);
  const auto concat = [&](const Tensor& a, const Tensor& b) {
    return call(chunk_cat, Values{IValue::list({a, b}, TypeKind::Tensor), int64_t{0}, int64_t{2}});
  };
  EXPECT_EQ(concat(real, real)[0].as_tensor().sizes(), Dims({2, 2}));
  EXPECT_THROW(concat(real, whole), Error);
}

// As many indices as dims or fewer, of int64 or int32; of no elements, what is taken is the fill.
TEST(RefusedCalls, MaskedIndicesAreIntegersOfTheDims) {
  const Operator& masked = operator_named("aten::_unsafe_masked_index");
  const Tensor some = Tensor::zeros({2, 3}, DType::F32), none = Tensor::zeros({0, 3}, DType::F32);
  const Tensor at = Tensor::zeros({4}, DType::I64), mask = Tensor::zeros({}, DType::Bool);
  const auto masked_index = [&](const Tensor& self, std::vector<IValue> indices) {
    const IValue list = IValue::list(std::move(indices), Type::optional(TypeKind::Tensor));
    return call(masked, Values{self, mask, list, 7.0})[0].as_tensor();
  };
  EXPECT_EQ(masked_index(some, {at}).sizes(), Dims({4, 3}));
  EXPECT_EQ(masked_index(some, {IValue(), at}).sizes(), Dims({2, 4}));
  EXPECT_EQ(masked_index(none, {at}).sizes(), Dims({4, 3}));
  EXPECT_EQ(element_as_double(masked_index(none, {at, at}), 3), 7);
  for (const Tensor& self : {some, none}) {
    EXPECT_THROW(masked_index(self, {}), Error);
    EXPECT_THROW(masked_index(self, {at, at, at}), Error);
    for (DType d : {DType::Bool, DType::U8, DType::I16})
      EXPECT_THROW(masked_index(self, {to_dtype(at, d)}), Error) << name_of(d);
  }
}

TEST(RefusedCalls, BilinearTakesOneDType) {
  const Tensor x = Tensor::zeros({2, 2}, DType::F32), weight = Tensor::zeros({3, 2, 2}, DType::F32);
  const auto bilinear = [&](DType input, DType bias) {
    return call(operator_named("aten::bilinear"),
                Values{x, to_dtype(x, input), weight, Tensor::zeros({3}, bias)})[0];
  };
  EXPECT_EQ(bilinear(DType::F32, DType::F32).as_tensor().sizes(), Dims({2, 3}));
  EXPECT_THROW(bilinear(DType::F32, DType::F64), Error);
  EXPECT_THROW(bilinear(DType::F64, DType::F32), Error);
}

TEST(RefusedCalls, NormsOfNegativeOrderTakeLinesWithElements) {
  const Tensor none = Tensor::zeros({2, 0}, DType::F32);
  const auto norm = [&](double p, const Dims& dims) {
    return call(operator_named("aten::norm.ScalarOpt_dim"),
                Values{none, p, IValue::int_list(dims), false})[0];
  };
  EXPECT_EQ(norm(-3, {0}).as_tensor().sizes(), Dims({0}));
  EXPECT_EQ(norm(3, {1}).as_tensor().sizes(), Dims({2}));
  EXPECT_THROW(norm(-3, {1}), Error);
  EXPECT_THROW(norm(-0.5, {}), Error);
}

// Steps between coordinates of narrow integers do not wrap, neither negated nor multiplied.
TEST(RefusedCalls, GradientsAtBytesAreThoseAtIntegers) {
  Tensor x = Tensor::zeros({4}, DType::F32), at = Tensor::zeros({4}, DType::I64);
  for (int64_t i = 0; i < 4; ++i) set_element(x, i, (i + 1.0) * (i + 1)), set_element(at, i, 9 * i);
  const auto slopes = [&](DType d) {
    const IValue coordinates = IValue::list({to_dtype(at, d)}, TypeKind::Tensor);
    return call(operator_named("aten::gradient.tensorarray"),
                Values{x, coordinates, IValue::int_list(Dims{0}), int64_t{1}})[0];
  };
  for (DType d : {DType::U8, DType::I8, DType::I64})
    EXPECT_NEAR(element_as_double(slopes(d).items()[0].as_tensor(), 1), 4.0 / 9, 1e-6)
        << name_of(d);
  EXPECT_THROW(slopes(DType::Bool), Error);
}

}  // namespace
}  // namespace fusillade
