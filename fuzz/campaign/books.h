// The books of a campaign: its store, its clock, its counts and samples, the lines of progress, and
// what is written at its end.
//
// The counters live in memory shared with the workers and are added to the store's totals as of the
// start; progress is written every second. A kill of anything loses at most the last second's
// counts, never a saved case: those are files in pending/ until their finding is in the store.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/campaign/cost.h"
#include "fuzz/campaign/outputs.h"
#include "fuzz/campaign/reach.h"
#include "fuzz/campaign/store.h"
#include "fuzz/campaign/supervisor.h"
#include "fuzz/campaign/triage_queue.h"

namespace fusillade::fuzz {

class Books {
 public:
  // Opens the campaign's folder. Throws Error where it holds another campaign, or one that was not
  // asked to be gone on with.
  explicit Books(const SupervisorOptions& options);

  // From now on, with these workers.
  void start(const Slot* slots);
  Store& store() { return store_; }
  const std::vector<uint64_t>& next() const { return next_; }  // of each worker, at the start

  double elapsed() const;                                       // seconds since the start
  double seconds() const { return base_seconds_ + elapsed(); }  // of the campaign, resumed or not

  // What the supervisor itself found of a program.
  void count_skip(const std::string& reason);
  void count_death(VerdictKind kind, bool saved);
  Counters totals() const;

  // Once a second, or now.
  void keep(size_t findings, bool now);
  // Writes what the campaign came to, and returns its exit code: `stopped`, where it was.
  int close(const TriageQueue& queue, std::optional<int> stopped);

 private:
  bool compared_enough() const;
  int code_of(const std::vector<FindingRow>& found, const TriageQueue& queue,
              const Ended& ended) const;
  std::map<std::string, uint64_t> reasons() const;
  Reach reach() const;
  Cost cost() const { return cost_of(slots_, o_.jobs, base_cost_); }

  const SupervisorOptions& o_;
  Store store_;
  std::vector<uint64_t> next_;
  const Slot* slots_ = nullptr;
  // As of the start, and the supervisor's own.
  Counters base_;
  std::map<std::string, uint64_t> base_reasons_;
  Reach base_reach_;
  Cost base_cost_;
  double base_seconds_ = 0;
  double base_after_ = 0;  // of these, after the last program
  int64_t start_us_ = 0;
  int64_t kept_us_ = 0;
  int64_t reach_kept_us_ = 0;
};

}  // namespace fusillade::fuzz
