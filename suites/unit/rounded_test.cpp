// How far from plain runs a legal run may be.
#include "fuzz/oracle/rounded.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/tensor/tensor.h"

namespace fusillade::fuzz {
namespace {

IValue tensor(const std::vector<double>& values, DType dtype = DType::F32) {
  const Tensor t = Tensor::zeros(Dims{static_cast<int64_t>(values.size())}, dtype);
  for (size_t i = 0; i < values.size(); ++i) set_element(t, static_cast<int64_t>(i), values[i]);
  return t;
}

VerdictKind judge(const PlainRuns& runs, const IValue& observed, Elements* counted = nullptr) {
  Verdict step;
  compare_rounded(runs, {observed}, "result", step);
  if (counted) *counted = step.elements;
  return step.kind;
}

PlainRuns runs(const std::vector<double>& eager, const std::vector<double>& exact,
               const std::vector<double>& changed) {
  return {{tensor(eager)}, {tensor(exact, DType::F64)}, {tensor(changed, DType::F64)}};
}

TEST(Rounded, WithinRoundingsIsAdmittedAndBeyondNot) {
  const PlainRuns plain = runs({1, 100}, {1, 100}, {1.000001, 100.0001});
  EXPECT_EQ(judge(plain, tensor({1.00001, 100.0005})), VerdictKind::Ok);
  EXPECT_EQ(judge(plain, tensor({1.1, 100})), VerdictKind::Mismatch);
  EXPECT_EQ(judge(plain, tensor({1, 101})), VerdictKind::Mismatch);
}

TEST(Rounded, WhatEagerModeErrsByIsAllowedManyTimes) {
  EXPECT_EQ(judge(runs({0.5}, {0.4}, {0.4}), tensor({3})), VerdictKind::Ok);
}

TEST(Rounded, WhatASmallChangeMovesIsAllowed) {
  EXPECT_EQ(judge(runs({10}, {10}, {11}), tensor({20})), VerdictKind::Ok);
}

TEST(Rounded, NumbersThatAreLost) {
  const double nan = std::nan("");
  EXPECT_EQ(judge(runs({1}, {1}, {1}), tensor({nan})), VerdictKind::Mismatch);
  EXPECT_EQ(judge(runs({nan}, {nan}, {nan}), tensor({1})), VerdictKind::Mismatch);
  Elements counted;
  EXPECT_EQ(judge(runs({1e6}, {7}, {7}), tensor({nan}), &counted), VerdictKind::Ok);
  EXPECT_EQ(counted.untrusted, 1u);  // beside a pole
  EXPECT_EQ(judge(runs({INFINITY}, {1e39}, {1e39}), tensor({3e38}), &counted), VerdictKind::Ok);
  EXPECT_EQ(counted.untrusted, 1u);  // eager mode overflows, and double precision does not
}

TEST(Rounded, IntegersAreExactWherePlainRunsAgree) {
  const IValue two = tensor({2}, DType::I64), three = tensor({3}, DType::I64);
  EXPECT_EQ(judge({{two}, {two}, {two}}, three), VerdictKind::Mismatch);
  EXPECT_EQ(judge({{two}, {two}, {three}}, three), VerdictKind::Ok);  // a rounding decides
  EXPECT_EQ(judge({{two}, {}, {}}, three), VerdictKind::Mismatch);    // no float goes in
}

TEST(Rounded, FormsAreTheSame) {
  const PlainRuns plain = runs({1}, {1}, {1});
  EXPECT_EQ(judge(plain, tensor({1}, DType::F64)), VerdictKind::Mismatch);
  EXPECT_EQ(judge(plain, tensor({1, 1})), VerdictKind::Mismatch);
  EXPECT_EQ(judge(plain, IValue::list({tensor({1})}, TypeKind::Any)), VerdictKind::Mismatch);
}

TEST(Rounded, WithoutRunsInDoublePrecisionFloatsAreNotJudged) {
  const PlainRuns plain{{tensor({1})}, {IValue::str("no values")}, {IValue::str("no values")}};
  Elements counted;
  EXPECT_EQ(judge(plain, tensor({2}), &counted), VerdictKind::Ok);
  EXPECT_EQ(counted.untrusted, 1u);
}

TEST(Rounded, ChangesAreSmallAndTheSameEachTime) {
  Call call;
  call.inputs = {tensor({1, -3, 0}), IValue(int64_t{4})};
  const Call once = *in_double(call, true), again = *in_double(call, true);
  for (int64_t i = 0; i < 3; ++i) {
    const double was = element_as_double(call.inputs[0].as_tensor(), i);
    const double is = element_as_double(once.inputs[0].as_tensor(), i);
    EXPECT_LE(std::abs(is - was), std::abs(was) * 0x1p-18);
    EXPECT_EQ(is, element_as_double(again.inputs[0].as_tensor(), i));
  }
  call.inputs.erase(call.inputs.begin());
  EXPECT_FALSE(in_double(call, false));
}

}  // namespace
}  // namespace fusillade::fuzz
