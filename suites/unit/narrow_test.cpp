// Integers narrower than 64 bits, computed in their own size: what 64 bits give, cut to it.
#include <gtest/gtest.h>

#include "engine/ops/operator.h"
#include "engine/tensor/tensor.h"

namespace fusillade {
namespace {

using Values = std::vector<IValue>;

Tensor numbers(const Dims& sizes, DType dtype, int64_t seed) {
  Tensor t = Tensor::empty(sizes, DType::I64);
  for (int64_t i = 0; i < t.numel(); ++i)
    t.data<int64_t>()[i] = (i + seed) * 0x9e3779b97f4a7c1 % 0x1ffffffff - 0xffffffff;
  return to_dtype(t, dtype);
}

Tensor transpose(const Tensor& t) {
  return Tensor::view_of(t, t.offset(), Dims{t.sizes()[1], t.sizes()[0]},
                         Dims{t.strides()[1], t.strides()[0]});
}

IValue widen(const IValue& v) {
  return v.is_tensor() ? IValue(to_dtype(v.as_tensor(), DType::I64)) : v;
}

void expect_wide(const char* name, const Values& args) {
  Values wide;
  for (const IValue& v : args) wide.push_back(widen(v));
  const Tensor got = call(operator_named(name), args)[0].as_tensor();
  const Tensor wanted = to_dtype(call(operator_named(name), wide)[0].as_tensor(), got.dtype());
  EXPECT_TRUE(bitwise_equal(got, wanted)) << name << " " << describe(args[0].as_tensor());
}

TEST(Narrow, IntegersOfEachSizeAreThoseOf64BitsCut) {
  for (DType dtype : {DType::U8, DType::I8, DType::I16, DType::I32}) {
    const Tensor a = numbers({5, 300}, dtype, 1), b = numbers({5, 300}, dtype, 9);
    const Tensor column = numbers({5, 1}, dtype, 4), square = numbers({7, 7}, dtype, 2);
    const Tensor none = numbers({0, 3}, dtype, 2), single = numbers({}, dtype, 8);
    const std::pair<Tensor, Tensor> pairs[] = {{a, b},
                                               {a, column},
                                               {transpose(a), contiguous(transpose(b))},
                                               {square, transpose(square)},
                                               {transpose(b), transpose(a)},
                                               {none, none},
                                               {single, single},
                                               {contiguous(transpose(column)), column}};
    for (const auto& [x, y] : pairs) {
      for (int64_t alpha : {1, 3, -1}) {
        expect_wide("aten::add.Tensor", {x, y, alpha});
        expect_wide("aten::sub.Tensor", {x, y, alpha});
      }
      for (const char* name :
           {"aten::mul.Tensor", "aten::eq.Tensor", "aten::ne.Tensor", "aten::lt.Tensor",
            "aten::le.Tensor", "aten::gt.Tensor", "aten::ge.Tensor", "aten::bitwise_and.Tensor",
            "aten::bitwise_or.Tensor", "aten::bitwise_xor.Tensor", "aten::maximum",
            "aten::minimum"})
        expect_wide(name, {x, y});
    }
    for (const Tensor& x : {a, transpose(a), none}) {
      expect_wide("aten::bitwise_not", {x});
      expect_wide("aten::clamp", {x, int64_t{3}, int64_t{90}});
      expect_wide("aten::add.Scalar", {x, int64_t{7}, int64_t{1}});
      expect_wide("aten::mul.Scalar", {x, int64_t{11}});
      expect_wide("aten::lt.Scalar", {x, int64_t{5}});
    }
  }
}

// The result may lie where an operand does, at any steps.
TEST(Narrow, InPlace) {
  for (DType dtype : {DType::U8, DType::I16, DType::I32}) {
    const Tensor b = numbers({6, 9}, dtype, 3);
    for (const bool transposed : {false, true}) {
      Tensor a = numbers({9, 6}, dtype, 5);
      Tensor x = transposed ? transpose(a) : numbers({6, 9}, dtype, 5);
      const Tensor wanted =
          call(operator_named("aten::add.Tensor"), Values{contiguous(x, true), b, int64_t{1}})[0]
              .as_tensor();
      call(operator_named("aten::add_.Tensor"), Values{x, b, int64_t{1}});
      EXPECT_TRUE(bitwise_equal(x, wanted)) << name_of(dtype);
    }
  }
}

}  // namespace
}  // namespace fusillade
