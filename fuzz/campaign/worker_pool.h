// The workers of a campaign: starts them, watches them, kills one that is stuck or too large, and
// begins another in the place of one that died, after the program that it died of.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/campaign/dead_case.h"
#include "fuzz/campaign/lot.h"
#include "fuzz/campaign/supervisor.h"
#include "fuzz/campaign/watched.h"
#include "fuzz/corpus/seen.h"

namespace fusillade::fuzz {

// Why a campaign cannot go on, as its children say when they end.
struct Obstacle {
  std::string lack;          // what the machine did not let us have
  bool unstartable = false;  // an engine's worker cannot be started; it said so on stderr

  explicit operator bool() const { return unstartable || !lack.empty(); }
  // Notes what this end says of it, of the child `who`. False: nothing.
  bool note(const Ending& ending, const std::string& who);
};

class WorkerPool {
 public:
  // `seen`: what a campaign with a corpus knows, or null. `died` is called before another worker
  // takes the place of the one that died.
  WorkerPool(const SupervisorOptions& options, Obstacle& obstacle, Seen* seen,
             std::function<void(const Death&)> died);

  // Each worker judges its lot, of which those from `end` on are left out. Lots outlive the pool.
  void start(const std::vector<Lot>& lots, uint64_t end);
  // Who died? Who is stuck?
  void look();
  void stop();
  bool has_finished() const;
  const Slot* slots() const { return slots_; }

 private:
  // How often in a row a program was ended from outside.
  struct Outside {
    uint64_t index = 0;
    int times = 0;
  };

  void start(size_t w);
  void worker_ended(size_t w, const Ending& ending);
  std::optional<Death> death_of(size_t w, const Watched& worker, const Ending& ending);
  bool ended_outside_again(size_t w, uint64_t index);
  void see_whether_endless(const Death& death);

  uint64_t looks_ = 0;
  const SupervisorOptions& o_;
  CampaignOptions campaign_;  // as asked for, less what turned out to be endless
  Obstacle& obstacle_;
  std::function<void(const Death&)> died_;
  const std::vector<Lot>* lots_ = nullptr;
  uint64_t end_ = kEndless;
  Seen* seen_;
  Slot* slots_;
  std::shared_ptr<const Grounds> grounds_;  // where they may write, opened before the first
  std::vector<Watched> workers_;
  std::vector<Outside> outside_;
};

}  // namespace fusillade::fuzz
