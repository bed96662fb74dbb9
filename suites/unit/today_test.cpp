// What operators give as PyTorch 2.13 gives it and 1.13.1, which writes the samples, does not:
// halves in float, rounded once; rows of attention that see nothing.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/ir/interpret.h"

namespace fusillade {
namespace {

using Values = std::vector<IValue>;

Tensor line(const std::vector<double>& elements, DType dtype) {
  Tensor out = Tensor::zeros({static_cast<int64_t>(elements.size())}, dtype);
  for (size_t i = 0; i < elements.size(); ++i)
    set_element(out, static_cast<int64_t>(i), elements[i]);
  return out;
}

double first(const std::vector<IValue>& results) {
  return element_as_double(results[0].as_tensor(), 0);
}

TEST(Today, NormsOfHalvesAreSummedInFloat) {
  const Tensor large = line(std::vector<double>(1000, 67.0), DType::F16);
  EXPECT_EQ(first(call(operator_named("aten::norm.Scalar"), Values{large, 2.0})), 2118);
  EXPECT_EQ(first(call(operator_named("aten::norm.Scalar"), Values{large, 3.0})), 670);
  const Tensor many = line(std::vector<double>(3000, 1.0), DType::BF16);
  const Values ones{many, 0.0, IValue::int_list(Dims{0}), true};
  EXPECT_EQ(first(call(operator_named("aten::norm.ScalarOpt_dim"), ones)), 3008);  // 3000, rounded
}

// The nearest halves of what float gives.
TEST(Today, SoftmaxOfHalvesIsRoundedOnce) {
  std::vector<double> elements;
  for (int i = 0; i < 40; ++i) elements.push_back(std::fmod(i * 0.84375, 5.0) - 2);
  for (DType dtype : {DType::F16, DType::BF16}) {
    const Tensor halves = line(elements, dtype);
    for (const char* name : {"aten::softmax.int", "aten::log_softmax.int"}) {
      const Tensor got =
          call(operator_named(name), Values{halves, int64_t{0}, IValue()})[0].as_tensor();
      const Values wide{halves, int64_t{0}, int64_t{row_of(DType::F32).aten_code}};
      const Tensor exact = call(operator_named(name), wide)[0].as_tensor();
      Tensor rounded = Tensor::zeros(got.sizes(), dtype);
      copy_into(rounded, exact);
      for (int64_t i = 0; i < got.numel(); ++i)
        EXPECT_EQ(element_as_double(got, i), element_as_double(rounded, i)) << name << " " << i;
    }
  }
}

// 2048 + 1 is no half: the sum of a bag is rounded when it is whole.
TEST(Today, BagsOfHalvesAreSummedInFloat) {
  Tensor table = Tensor::zeros({4, 1}, DType::F16);
  for (int64_t i = 0; i < 4; ++i) set_element(table, i, i == 0 ? 2048.0 : 1.0);
  const Tensor indices = Tensor::zeros({4}, DType::I64), offsets = Tensor::zeros({1}, DType::I64);
  for (int64_t i = 0; i < 4; ++i) set_element(indices, i, static_cast<double>(i));
  for (int64_t mode : {0, 1}) {
    const Values args{table, indices, offsets, false, mode, false, IValue(), false};
    EXPECT_EQ(first(call(operator_named("aten::embedding_bag"), args)), mode == 0 ? 2052 : 513);
  }
}

TEST(Today, ARowOfAttentionThatSeesNothingIsZero) {
  Tensor some = Tensor::zeros({2, 2}, DType::F32), mask = Tensor::zeros({2, 2}, DType::Bool);
  for (int64_t i = 0; i < 4; ++i) set_element(some, i, 1.0 + static_cast<double>(i));
  set_element(mask, 2, 1);
  const Values args{some, some, some, mask, 0.0, false, IValue(), false};
  const Tensor out =
      call(operator_named("aten::scaled_dot_product_attention"), args)[0].as_tensor();
  for (int64_t i = 0; i < 4; ++i)
    EXPECT_EQ(element_as_double(out, i), std::vector<double>({0, 0, 1, 2})[static_cast<size_t>(i)]);
}

Tensor cycle(const Dims& sizes, DType dtype) {
  Tensor t = Tensor::zeros(sizes, dtype);
  for (int64_t i = 0; i < t.numel(); ++i)
    set_element(t, i, 0.25 + std::fmod(static_cast<double>(i) * 0.84375, 2.0));
  return t;
}

// What the call gives for halves is what it gives for the same numbers in float, rounded once.
TEST(Today, NormsOfHalvesTakeParametersInFloat) {
  const Tensor w = cycle({4}, DType::F32), b = cycle({4}, DType::F32), m = cycle({4}, DType::F32);
  const IValue shape = IValue::int_list(Dims{4}), none;
  const auto calls = [&](const Tensor& x) {
    const Tensor running = contiguous(m, true), spread = contiguous(m, true);
    return std::vector<std::pair<const char*, Values>>{
        {"aten::layer_norm", {x, shape, w, b, 1e-5, false}},
        {"aten::layer_norm", {x, shape, w, none, 1e-5, true}},
        {"aten::layer_norm", {x, shape, none, b, 1e-5, true}},
        {"aten::group_norm", {x, int64_t{2}, w, b, 1e-5, true}},
        {"aten::batch_norm", {x, w, b, m, m, false, 0.1, 1e-5, true}},
        {"aten::batch_norm", {x, none, none, m, m, false, 0.1, 1e-5, false}},
        {"aten::batch_norm", {x, w, b, running, spread, true, 0.1, 1e-5, false}},
        {"aten::instance_norm", {x, w, b, none, none, true, 0.1, 1e-5, false}},
        {"aten::instance_norm", {x, w, b, m, m, false, 0.1, 1e-5, false}}};
  };
  for (DType dtype : {DType::F16, DType::BF16}) {
    const Tensor x = cycle({3, 4, 4}, dtype);
    const auto of_halves = calls(x), of_floats = calls(to_dtype(x, DType::F32));
    for (size_t i = 0; i < of_halves.size(); ++i) {
      const auto& [name, args] = of_halves[i];
      const Tensor got = call(operator_named(name), args)[0].as_tensor();
      const Tensor wide = call(operator_named(name), of_floats[i].second)[0].as_tensor();
      EXPECT_TRUE(bitwise_equal(got, to_dtype(wide, dtype))) << name << " " << i;
    }
    for (const char* name : {"aten::native_layer_norm", "aten::native_group_norm"}) {
      const Values args =
          std::string_view(name) == "aten::native_layer_norm"
              ? Values{x, shape, w, b, 1e-5}
              : Values{x, w, b, int64_t{3}, int64_t{4}, int64_t{4}, int64_t{2}, 1e-5};
      const std::vector<IValue> results = call(operator_named(name), args);
      EXPECT_EQ(results[0].as_tensor().dtype(), dtype) << name;
      EXPECT_EQ(results[1].as_tensor().dtype(), DType::F32) << name;
      EXPECT_EQ(results[2].as_tensor().dtype(), DType::F32) << name;
    }
  }
}

// All parameters are of one dtype: the input's, or float where the input is of halves.
TEST(Today, NormsTakeNoOtherMixture) {
  const IValue shape = IValue::int_list(Dims{4});
  const DType h = DType::F16, b = DType::BF16, f = DType::F32, d = DType::F64;
  const DType refused[][3] = {{f, h, h}, {f, d, d}, {d, f, f}, {b, h, h},
                              {b, f, b}, {b, b, f}, {h, d, d}};
  for (const auto& [x, w, bias] : refused) {
    const Tensor input = cycle({3, 4, 4}, x), weight = cycle({4}, w), shift = cycle({4}, bias);
    EXPECT_THROW(
        call(operator_named("aten::layer_norm"), Values{input, shape, weight, shift, 1e-5, true}),
        Error);
    EXPECT_THROW(call(operator_named("aten::group_norm"),
                      Values{input, int64_t{2}, weight, shift, 1e-5, true}),
                 Error);
    EXPECT_THROW(call(operator_named("aten::batch_norm"),
                      Values{input, weight, shift, weight, weight, false, 0.1, 1e-5, true}),
                 Error);
  }
}

}  // namespace
}  // namespace fusillade
