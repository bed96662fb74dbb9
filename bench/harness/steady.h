// When is a series of timings warm? A rule, not a guess.
//
// The series is cut into windows of kWindow samples, each represented by its median. The level of
// the second half (the median of its window medians) is the candidate for steady state. Steady
// state starts at the first window from which on every window median lies within kBand of that
// level; it must start in the first half, or there is none. Robust to single outliers by the
// medians; blind to cycles shorter than a window. Classes as in Barrett et al., "Virtual machine
// warmup blows hot and cold" (OOPSLA 2017).
#pragma once

#include <string>
#include <vector>

namespace fusillade::bench {

struct Steady {
  static constexpr int kWindow = 5;
  static constexpr double kBand = 0.15;
  std::string kind;  // "flat", "warmup", "slowdown", "no steady state", "too short"
  size_t start = 0;  // first steady sample
  double level = 0;  // median of the steady samples; of all when there is no steady state
};

Steady find_steady(const std::vector<double>& samples);

double median(std::vector<double> values);  // 0 when empty

// The mean over processes with its 95 % confidence interval: Student's t on the logarithms of the
// processes' levels (timings are ratios). With one process lower == upper == the level and
// `processes` says so.
struct Estimate {
  double value = 0;
  double lower = 0;
  double upper = 0;
  int processes = 0;
};
Estimate estimate(const std::vector<double>& levels);

}  // namespace fusillade::bench
