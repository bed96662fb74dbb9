// What rounding may have done: samples of it, and the test that distinguishes a number from noise.
#include "fuzz/run/noise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "engine/front/eager.h"
#include "engine/tensor/random.h"

namespace fusillade::fuzz {
namespace {

// Of Student's distribution with kSamples - 1 degrees of freedom, what is beyond `t` on both sides,
// by Simpson's rule in 1 / t.
double beyond(double t) {
  const double n = kSamples - 1;
  const double factor = std::tgamma((n + 1) / 2) / (std::sqrt(n * M_PI) * std::tgamma(n / 2));
  auto density = [&](double x) {
    return x == 0 ? 0 : factor * std::pow(1 + 1 / (x * x * n), -(n + 1) / 2) / (x * x);
  };
  constexpr int kParts = 1000;
  const double h = 1 / t / kParts;
  double sum = density(0) + density(1 / t);
  for (int i = 1; i < kParts; ++i) sum += (i % 2 ? 4 : 2) * density(i * h);
  return 2 * sum * h / 3;
}

TEST(Noise, TheQuantileIsOneInABillion) {
  EXPECT_NEAR(beyond(kStudent) * 1e9, 1, 0.05);
  EXPECT_NEAR(beyond(2.3646), 0.05, 1e-4);  // as tables have it
}

std::vector<double> draw_samples(double mean, double spread, uint64_t seed) {
  std::vector<double> out;
  for (uint64_t i = 0; i < kSamples; ++i) out.push_back(mean + spread * random_normal(seed, i));
  return out;
}

TEST(Noise, WhatStandsOutIsNoNoise) {
  for (uint64_t seed = 0; seed < 100000; ++seed)
    ASSERT_FALSE(is_significant(draw_samples(0, 1e-7, seed))) << seed;
  int found = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) found += is_significant(draw_samples(1, 0.03, seed));
  EXPECT_GT(found, 900);
  EXPECT_TRUE(is_significant(std::vector<double>(kSamples, 1e-300)));
  EXPECT_FALSE(is_significant(std::vector<double>(kSamples, 0)));
}

TEST(Noise, SampleZeroDrawsNothing) {
  Noise none(0), some(1);
  EXPECT_EQ(none.perturb(3), 3);
  EXPECT_EQ(none.within(3, 1), 3);
  EXPECT_EQ(none.step(0.5), 0.5);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_LE(std::abs(some.perturb(3) - 3), 12 * Noise::kUnit);
    EXPECT_LE(std::abs(some.within(3, 1) - 3), 1 + 12 * Noise::kUnit);
    const double step = some.step(1);
    EXPECT_TRUE(step >= 1 && step < 2) << step;
  }
}

TEST(Noise, UnderflowWithinAnOperatorIsSeen) {
  const Tensor x = Tensor::zeros({3}, DType::F64);
  for (int64_t i = 0; i < 3; ++i) set_element(x, i, 1e-200);
  OutOfRange before;
  eager::add(x, x);
  EXPECT_FALSE(before.has_occurred());
  OutOfRange within;
  eager::mul(x, x);
  EXPECT_TRUE(within.has_occurred());
}

TEST(Noise, JitterTouchesFreshDoublesAlone) {
  const Tensor x = Tensor::zeros({100}, DType::F64), y = Tensor::zeros({100}, DType::F32);
  for (int64_t i = 0; i < 100; ++i) set_element(x, i, 1), set_element(y, i, 1);
  Jitter jitter(1);
  ModeScope scope(ModeKind::Device, jitter);
  const Tensor sum = eager::add(x, x), narrow = eager::add(y, y), view = eager::unsqueeze(x, 0);
  int moved = 0;
  for (int64_t i = 0; i < 100; ++i) {
    EXPECT_NEAR(element_as_double(sum, i), 2, 8 * Noise::kUnit);
    moved += element_as_double(sum, i) != 2;
    EXPECT_EQ(element_as_double(narrow, i), 2);
    EXPECT_EQ(element_as_double(view, i), 1);
  }
  EXPECT_GT(moved, 50);
}

}  // namespace
}  // namespace fusillade::fuzz
