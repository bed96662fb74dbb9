// See steady.h.
#include "bench/harness/steady.h"

#include <algorithm>
#include <cmath>
#include <limits>

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

namespace {

// Logarithms, in which what lies far from the calls around it is put to their median: a call that
// the machine disturbed is no change of the program's.
std::vector<double> despiked_logs(const std::vector<double>& samples) {
  constexpr size_t kAround = 5;
  constexpr double kFar = 3;
  std::vector<double> logs, out;
  for (double x : samples) logs.push_back(std::log(std::max(x, 1e-12)));
  for (size_t i = 0; i < logs.size(); ++i) {
    const auto from = logs.begin() + static_cast<long>(i < kAround ? 0 : i - kAround);
    const auto to = logs.begin() + static_cast<long>(std::min(i + kAround + 1, logs.size()));
    const double middle = median({from, to});
    std::vector<double> off;
    for (auto it = from; it != to; ++it) off.push_back(std::fabs(*it - middle));
    const double spread = 1.4826 * median(std::move(off));
    out.push_back(std::fabs(logs[i] - middle) > kFar * spread ? middle : logs[i]);
  }
  return out;
}

// Twice the negative log-likelihood of a normal segment [begin, end), up to a constant, from sums.
class Cost {
 public:
  explicit Cost(const std::vector<double>& x) : sums_{0}, squares_{0} {
    for (double v : x) {
      sums_.push_back(sums_.back() + v);
      squares_.push_back(squares_.back() + v * v);
    }
  }
  double operator()(size_t begin, size_t end) const {
    constexpr double kResolution = 1e-6;  // variance that a clock leaves: 0.1 %
    const double n = static_cast<double>(end - begin);
    const double sum = sums_[end] - sums_[begin];
    const double variance = (squares_[end] - squares_[begin] - sum * sum / n) / n;
    return n * (std::log(std::max(variance, kResolution)) + 1);
  }

 private:
  std::vector<double> sums_, squares_;
};

// Where segments begin, the first at 0: the cheapest cut, by PELT.
std::vector<size_t> segments(const std::vector<double>& logs) {
  const size_t n = logs.size();
  const Cost cost(logs);
  const double penalty = Steady::kPenalty * std::log(static_cast<double>(n));
  std::vector<double> best(n + 1, 0);
  std::vector<size_t> from(n + 1, 0), candidates{0};
  best[0] = -penalty;
  for (size_t end = Steady::kLeast; end <= n; ++end) {
    best[end] = std::numeric_limits<double>::infinity();
    for (size_t begin : candidates) {
      const double c = best[begin] + cost(begin, end) + penalty;
      if (c < best[end]) {
        best[end] = c;
        from[end] = begin;
      }
    }
    std::erase_if(candidates, [&](size_t b) { return best[b] + cost(b, end) > best[end]; });
    if (end >= 2 * Steady::kLeast - 1) candidates.push_back(end + 1 - Steady::kLeast);
  }
  std::vector<size_t> out;
  for (size_t at = n; at > 0; at = from[at]) out.push_back(from[at]);
  std::reverse(out.begin(), out.end());
  return out;
}

struct Segment {
  size_t begin = 0;
  double level = 0;  // median
};

// From the end on, a segment whose level is within the band of what follows it is part of that.
std::vector<Segment> merge_segments(const std::vector<double>& samples,
                                    const std::vector<size_t>& begins) {
  std::vector<Segment> out;  // last first
  size_t end = samples.size();
  for (size_t i = begins.size(); i-- > 0;) {
    const auto from = samples.begin() + static_cast<long>(begins[i]);
    const double level = median({from, samples.begin() + static_cast<long>(end)});
    if (out.empty() || std::fabs(std::log(level / out.back().level)) > std::log1p(Steady::kBand)) {
      out.push_back({begins[i], level});
      end = begins[i];
      continue;
    }
    size_t until = out.size() > 1 ? out[out.size() - 2].begin : samples.size();
    out.back() = {begins[i], median({from, samples.begin() + static_cast<long>(until)})};
    end = begins[i];
  }
  std::reverse(out.begin(), out.end());
  return out;
}

}  // namespace

Steady find_steady(const std::vector<double>& samples) {
  Steady out;
  out.level = median(samples);
  if (samples.size() < 4 * Steady::kLeast) {
    out.kind = "too short";
    return out;
  }
  const std::vector<Segment> parts = merge_segments(samples, segments(despiked_logs(samples)));
  const Segment& last = parts.back();
  if (last.begin > samples.size() / 2) {
    out.kind = "no steady state";
    return out;
  }
  out.start = last.begin;
  out.level = last.level;
  out.kind = "flat";
  for (size_t i = 0; i + 1 < parts.size(); ++i) {
    if (parts[i].level < last.level) out.kind = "slowdown";
    else if (out.kind == "flat") out.kind = "warmup";
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
