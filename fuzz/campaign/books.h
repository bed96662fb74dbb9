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

// Why a campaign ended before its programs did, in words, and its exit code.
struct Stop {
  int code = 0;
  std::string why;
};

class Books {
 public:
  // Opens the campaign's folder. Throws Error where it holds another campaign, or one that was not
  // asked to be gone on with.
  explicit Books(const SupervisorOptions& options);

  // From now on, with these workers.
  void start(const Slot* slots);
  Store& store() { return store_; }
  const std::vector<Lot>& lots() const { return lots_; }  // of each worker, as of the start

  // Cases of the corpus are judged before programs: so many, those that are left of them.
  void begin_replays(uint64_t cases);
  const std::vector<Lot>& replays() const { return replays_; }
  // Those that were not judged, which are let go: programs are next.
  std::vector<uint64_t> end_replays();

  double elapsed_seconds() const;  // seconds since the start
  double seconds() const {
    return base_seconds_ + elapsed_seconds();
  }  // of the campaign, resumed or not
  // Of these, those in which programs ran; at most until now.
  double hunting_seconds() const { return base_seconds_ - base_after_ + hunted_here(); }
  // No more programs run; seconds since the start.
  double end_of_workers();

  // What the supervisor itself found of a program.
  void count_skip(const std::string& reason);
  void count_death(VerdictKind kind, bool saved);
  Counters totals() const;
  // Stores which productions the first programs of findings used, where that is not known yet.
  void note_productions();
  // A case showed this finding, which is not new, on this build. True: it was closed.
  bool shows_again(const FindingRow& finding);

  // Once a second, or now.
  void keep(size_t findings, bool now);
  // Writes the campaign's results, and returns its exit code.
  // `corpus`: the report on its corpus, as JSON; empty: it has none.
  int close(const TriageQueue& queue, const std::optional<Stop>& stop, const std::string& corpus);

 private:
  void take_identity();
  void require_alike() const;
  double kept_seconds() const;  // of all starts, as far as the store has them
  double hunted_here() const { return workers_ended_ > 0 ? workers_ended_ : elapsed_seconds(); }
  double job_seconds() const { return base_job_seconds_ + o_.jobs * hunted_here(); }
  std::map<std::string, uint64_t> reasons() const;
  Reach reach() const;
  Cost cost() const { return cost_of(slots_, o_.jobs, base_cost_); }
  // What of the campaign is left, and with it what was counted, of one moment.
  std::vector<Progression> rest(Counters& counted) const;

  const SupervisorOptions& o_;
  Store store_;
  std::vector<Lot> lots_;
  std::vector<Progression> replays_left_;  // as of the start
  bool resumed_ = false;                   // before this start
  std::vector<Lot> replays_;               // none: programs are judged
  const Slot* slots_ = nullptr;
  // As of the start, and the supervisor's own.
  Counters base_;
  std::map<std::string, uint64_t> base_reasons_;
  Reach base_reach_;
  Cost base_cost_;
  double base_seconds_ = 0;
  double base_after_ = 0;        // of these, after the last program
  double base_job_seconds_ = 0;  // of workers
  double workers_ended_ = 0;     // seconds since the start; 0: they run
  int64_t start_us_ = 0;
  int64_t kept_us_ = 0;
  int64_t reach_kept_us_ = 0;
};

}  // namespace fusillade::fuzz
