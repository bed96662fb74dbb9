// What rows give as PyTorch 2.13 gives it and 1.13.1, which writes the samples, does not: halves in
// float, rounded once; rows of attention that see nothing.
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
  EXPECT_EQ(first(call(row("aten::norm.Scalar"), Values{large, 2.0})), 2118);
  EXPECT_EQ(first(call(row("aten::norm.Scalar"), Values{large, 3.0})), 670);
  const Tensor many = line(std::vector<double>(3000, 1.0), DType::BF16);
  const Values ones{many, 0.0, IValue::int_list(Dims{0}), true};
  EXPECT_EQ(first(call(row("aten::norm.ScalarOpt_dim"), ones)), 3008);  // 3000, rounded
}

// The nearest halves of what float gives.
TEST(Today, SoftmaxOfHalvesIsRoundedOnce) {
  std::vector<double> elements;
  for (int i = 0; i < 40; ++i) elements.push_back(std::fmod(i * 0.84375, 5.0) - 2);
  for (DType dtype : {DType::F16, DType::BF16}) {
    const Tensor halves = line(elements, dtype);
    for (const char* name : {"aten::softmax.int", "aten::log_softmax.int"}) {
      const Tensor got = call(row(name), Values{halves, int64_t{0}, IValue()})[0].as_tensor();
      const Values wide{halves, int64_t{0}, int64_t{row_of(DType::F32).aten_code}};
      const Tensor exact = call(row(name), wide)[0].as_tensor();
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
  const Tensor places = Tensor::zeros({4}, DType::I64), offsets = Tensor::zeros({1}, DType::I64);
  for (int64_t i = 0; i < 4; ++i) set_element(places, i, static_cast<double>(i));
  for (int64_t mode : {0, 1}) {
    const Values args{table, places, offsets, false, mode, false, IValue(), false};
    EXPECT_EQ(first(call(row("aten::embedding_bag"), args)), mode == 0 ? 2052 : 513);
  }
}

TEST(Today, ARowOfAttentionThatSeesNothingIsZero) {
  Tensor some = Tensor::zeros({2, 2}, DType::F32), mask = Tensor::zeros({2, 2}, DType::Bool);
  for (int64_t i = 0; i < 4; ++i) set_element(some, i, 1.0 + static_cast<double>(i));
  set_element(mask, 2, 1);
  const Values args{some, some, some, mask, 0.0, false, IValue(), false};
  const Tensor out = call(row("aten::scaled_dot_product_attention"), args)[0].as_tensor();
  for (int64_t i = 0; i < 4; ++i)
    EXPECT_EQ(element_as_double(out, i), std::vector<double>({0, 0, 1, 2})[static_cast<size_t>(i)]);
}

}  // namespace
}  // namespace fusillade
