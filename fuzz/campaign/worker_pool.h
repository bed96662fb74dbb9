// Workers that judge programs, of a campaign or of the self-test: starts them, watches them, kills
// one that is stuck or too large, and begins another in the place of one that died, after the
// program that it died of.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/campaign/dead_case.h"
#include "fuzz/campaign/lot.h"
#include "fuzz/campaign/watched.h"

namespace fusillade::fuzz {

// Why a campaign cannot go on, as its children say when they end.
struct Obstacle {
  std::string lack;          // what the machine did not let us have
  bool unstartable = false;  // an engine's worker cannot be started; it said so on stderr

  explicit operator bool() const { return unstartable || !lack.empty(); }
  // Notes what this end says of it, of the child `who`. False: nothing.
  bool note(const Ending& ending, const std::string& who);
};

struct Crew {
  int jobs = 1;
  uint64_t seed = 1;                // of the programs
  Limits limits;                    // per unit of work: seconds; per worker: megabytes
  std::vector<std::string> writes;  // the folders that they may write in
  std::function<void(const Assignment&, Slot&)> work;  // in a worker
  // Called before another worker takes the place of the one that died.
  std::function<void(const Death&)> died;
};

class WorkerPool {
 public:
  WorkerPool(Crew crew, Obstacle& obstacle);

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

  uint64_t looks_ = 0;
  const Crew crew_;
  Obstacle& obstacle_;
  const std::vector<Lot>* lots_ = nullptr;
  uint64_t end_ = kEndless;
  Slot* slots_;
  std::shared_ptr<const Grounds> grounds_;  // where they may write, opened before the first
  std::vector<Watched> workers_;
  std::vector<uint64_t> first_;  // that the worker was to judge
  std::vector<Outside> outside_;
};

}  // namespace fusillade::fuzz
