// See steady.h.
#include "bench/harness/steady.h"

#include <algorithm>
#include <cmath>

namespace fusillade::bench {
namespace {

// Two-sided 95 % quantiles of Student's t for 1 .. 30 degrees of freedom; 1.96 beyond.
constexpr double kT95[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                           2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                           2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};

double t95(size_t degrees) { return degrees <= 30 ? kT95[degrees - 1] : 1.96; }

}  // namespace

double median(std::vector<double> v) {
  if (v.empty()) return 0;
  size_t half = v.size() / 2;
  std::nth_element(v.begin(), v.begin() + static_cast<long>(half), v.end());
  double upper = v[half];
  if (v.size() % 2 == 1) return upper;
  return (upper + *std::max_element(v.begin(), v.begin() + static_cast<long>(half))) / 2;
}

Steady find_steady(const std::vector<double>& samples) {
  Steady out;
  out.level = median(samples);
  size_t windows = samples.size() / Steady::kWindow;
  if (windows < 4) {
    out.kind = "too short";
    return out;
  }
  std::vector<double> medians;
  for (size_t w = 0; w < windows; ++w) {
    auto first = samples.begin() + static_cast<long>(w * Steady::kWindow);
    medians.push_back(median({first, first + Steady::kWindow}));
  }
  double level = median({medians.begin() + static_cast<long>(windows / 2), medians.end()});
  size_t start = windows;
  while (start > 0 && std::fabs(medians[start - 1] - level) <= Steady::kBand * level) --start;
  if (start > windows / 2) {
    out.kind = "no steady state";
    return out;
  }
  out.start = start * Steady::kWindow;
  out.level = median({samples.begin() + static_cast<long>(out.start), samples.end()});
  if (start == 0) {
    out.kind = "flat";
  } else {
    out.kind = median({medians.begin(), medians.begin() + static_cast<long>(start)}) > level
                   ? "warmup"
                   : "slowdown";
  }
  return out;
}

Estimate estimate(const std::vector<double>& levels) {
  Estimate e;
  e.processes = static_cast<int>(levels.size());
  if (levels.empty()) return e;
  double sum = 0;
  for (double x : levels) sum += std::log(x);
  double mean = sum / static_cast<double>(levels.size());
  e.value = e.lower = e.upper = std::exp(mean);
  if (levels.size() < 2) return e;
  double squares = 0;
  for (double x : levels) squares += (std::log(x) - mean) * (std::log(x) - mean);
  double n = static_cast<double>(levels.size());
  double half = t95(levels.size() - 1) * std::sqrt(squares / (n - 1) / n);
  e.lower = std::exp(mean - half);
  e.upper = std::exp(mean + half);
  return e;
}

}  // namespace fusillade::bench
