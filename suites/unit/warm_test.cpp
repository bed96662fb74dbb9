// Series of known shape, and what is said of each: when it is steady, or that it never is.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "bench/harness/steady.h"
#include "engine/tensor/random.h"

namespace fusillade::bench {
namespace {

constexpr int kRuns = 400;

// One call in twenty is disturbed, by up to a few times its length.
std::vector<double> series(size_t n, uint64_t seed, double spread,
                           const std::function<double(size_t)>& level) {
  std::vector<double> out;
  for (size_t i = 0; i < n; ++i) {
    const double late = random_unit(seed, 3 * i) < 0.05 ? 2 * random_unit(seed, 3 * i + 1) : 0;
    out.push_back(1e-3 * level(i) * std::exp(spread * random_normal(seed, 3 * i + 2)) * (1 + late));
  }
  return out;
}

double share(const std::string& kind, size_t n, double spread,
             const std::function<double(size_t)>& level) {
  int right = 0;
  for (uint64_t seed = 0; seed < kRuns; ++seed)
    right += find_steady(series(n, seed, spread, level)).kind == kind;
  return right / static_cast<double>(kRuns);
}

TEST(Warm, FlatSeriesAreFlat) {
  for (double spread : {0.005, 0.02, 0.05}) {
    EXPECT_GE(share("flat", 40, spread, [](size_t) { return 1; }), 0.99) << spread;
    EXPECT_GE(share("flat", 200, spread, [](size_t) { return 1; }), 0.99) << spread;
  }
}

TEST(Warm, WarmUpAndSlowdownAreFound) {
  const auto steps = [](double before, double after) {
    return [=](size_t i) { return i < 12 ? before : after; };
  };
  EXPECT_GE(share("warmup", 40, 0.02, steps(1.5, 1)), 0.99);
  EXPECT_GE(share("slowdown", 40, 0.02, steps(1, 1.5)), 0.99);
  EXPECT_GE(share("warmup", 200, 0.02, [](size_t i) { return 1 + 2 * std::exp(-0.2 * i); }), 0.95);
  const Steady s = find_steady(series(40, 7, 0.02, steps(1.5, 1)));
  EXPECT_NEAR(static_cast<double>(s.start), 12, 2);
  EXPECT_NEAR(s.level, 1e-3, 3e-5);
}

TEST(Warm, WhatNeverSettlesHasNoSteadyState) {
  EXPECT_GE(share("no steady state", 80, 0.02, [](size_t i) { return i / 20 % 2 ? 1.4 : 1; }),
            0.95);
  EXPECT_GE(share("no steady state", 40, 0.02, [](size_t i) { return i < 30 ? 1 : 1.5; }), 0.95);
  EXPECT_GE(share("no steady state", 200, 0.01, [](size_t i) { return 1 + 0.01 * i; }), 0.95);
}

TEST(Warm, FewCallsTellNothing) {
  EXPECT_EQ(find_steady(std::vector<double>(19, 1)).kind, "too short");
  EXPECT_EQ(find_steady(std::vector<double>(20, 1)).kind, "flat");
  EXPECT_EQ(find_steady({}).kind, "too short");
}

}  // namespace
}  // namespace fusillade::bench
