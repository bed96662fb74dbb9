// When is a series of timings warm? Changepoints, not a guess.
//
// A process's timings are cut where the mean or the spread of their logarithms changes: PELT
// (Killick et al. 2012) with the cost of a normal segment and a penalty of kPenalty ln n a cut,
// after single calls far from their neighbours were put back among them. Neighbouring segments
// whose levels are within kBand of each other are one. Steady state is the last segment, and there
// is none if that begins beyond the first half. Before it faster levels make it a slowdown, else
// slower ones a warm-up. Classes as in Barrett et al., "Virtual machine warmup blows hot and cold"
// (OOPSLA 2017). Cycles shorter than kLeast calls are spread, not changes.
#pragma once

#include <string>
#include <vector>

namespace fusillade::bench {

struct Steady {
  static constexpr size_t kLeast = 5;  // calls of a segment
  static constexpr double kPenalty = 15;
  static constexpr double kBand = 0.05;
  static constexpr const char* kRule =
      "changepoints (PELT, mean and spread of logs, penalty 15 ln n), levels within 5 % joined; "
      "the last segment, if it begins in the first half";
  std::string kind;  // "flat", "warmup", "slowdown", "no steady state", "too short"
  size_t start = 0;  // first steady sample
  double level = 0;  // median of the steady samples; of all when there is no steady state

  bool has_state() const { return kind != "no steady state" && kind != "too short"; }
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
