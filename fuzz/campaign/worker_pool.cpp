// See worker_pool.h.
#include "fuzz/campaign/worker_pool.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "engine/base/lack.h"
#include "fuzz/process/loop_limit.h"
#include "fuzz/process/strays.h"

namespace fusillade::fuzz {
namespace {

constexpr uint64_t kLooksToReap = 256;  // each reads all of /proc

}  // namespace

bool Obstacle::note(const Ending& ending, const std::string& who) {
  if (ending.signal != 0) return false;
  if (ending.status == kLackStatus)
    lack =
        fmt::format("{} could not have what it needs of the machine (its message is above)", who);
  else if (ending.status == kCannotStart) unstartable = true;
  else return false;
  return true;
}

WorkerPool::WorkerPool(Crew crew, Obstacle& obstacle)
    : crew_(std::move(crew)),
      obstacle_(obstacle),
      slots_(map_slots(crew_.jobs)),
      workers_(static_cast<size_t>(crew_.jobs)),
      first_(workers_.size()),
      outside_(workers_.size()) {}

void WorkerPool::start(const std::vector<Lot>& lots, uint64_t end) {
  lots_ = &lots;
  end_ = end;
  for (size_t w = 0; w < workers_.size(); ++w) {
    slots_[w].begin(lots[w].from(0));
    start(w);
  }
}

void WorkerPool::start(size_t w) {
  const Assignment assignment{(*lots_)[w], slots_[w].next.load(), end_};
  workers_[w] = {};
  first_[w] = assignment.first;
  if (assignment.first >= assignment.end) {
    workers_[w].finished = true;
    return;
  }
  if (!grounds_) grounds_ = std::make_shared<const Grounds>(crew_.writes);
  SpawnOptions how{.name = fmt::format("worker {}", w),
                   .megabytes = crew_.limits.megabytes,
                   .confined_to = grounds_};
  workers_[w].child = spawn(
      [&] {
        limit_loops(crew_.limits.seconds, false);
        crew_.work(assignment, slots_[w]);
      },
      how);
}

void WorkerPool::look() {
  for (size_t w = 0; w < workers_.size(); ++w)
    if (std::optional<Ending> ending = workers_[w].child.try_reap()) worker_ended(w, *ending);
  for (size_t w = 0; w < workers_.size(); ++w) workers_[w].kill_beyond(crew_.limits, slots_[w]);
  if (looks_++ % kLooksToReap == 0) reap_strays();
}

void WorkerPool::stop() {
  for (Watched& w : workers_) w.child.kill();
  for (Watched& w : workers_) w.child.end();
}

bool WorkerPool::has_finished() const {
  return std::all_of(workers_.begin(), workers_.end(), [](const Watched& w) { return w.finished; });
}

void WorkerPool::worker_ended(size_t w, const Ending& ending) {
  const Watched worker = std::exchange(workers_[w], {});
  Slot& slot = slots_[w];
  if (worker.idle_too_long) {
    std::fprintf(stderr,
                 "fusillade: worker %zu stood still for %g s between two programs, as one that was "
                 "stopped does: another goes on in its place\n",
                 w, worker.most_idle);
  }
  const bool again = slot.again.exchange(false);
  if (ending.clean() && !again) {
    workers_[w].finished = true;
    return;
  }
  if (obstacle_.note(ending, fmt::format("worker {}", w))) return;
  if (ending.clean()) return start(w);
  if (const std::optional<Death> death = death_of(w, worker, ending)) {
    crew_.died(*death);
    slot.from_stage.store(0);
    slot.from_plan.store(0);
    slot.next.store((*lots_)[w].from(death->index + 1));
  }
  slot.started_us.store(0);
  start(w);
}

// None where no program is at fault: it was idle, or was ended from outside, or programs before
// this one are generated and not judged (it comes again, when they are), or the memory may be what
// those before it left (it comes again, in a worker of its own).
std::optional<Death> WorkerPool::death_of(size_t w, const Watched& worker, const Ending& ending) {
  Slot& slot = slots_[w];
  Death death{slot.index.load(), slot.stage.load()};
  const bool ahead = slot.next.load() < death.index;
  if (ahead) slot.alone.store(death.index + 1);
  if (ahead || worker.idle_too_long || slot.started_us.load() == 0) return {};
  const auto is = [&](VerdictKind kind, const std::string& why) {
    death.kind = kind;
    death.why = why;
    return death;
  };
  if (ending.from_outside() && worker.killed_for == VerdictKind::Ok) {
    if (!ended_outside_again(w, death.index)) return {};
    return is(VerdictKind::Skip, "ended from outside, each time");
  }
  if (worker.killed_for == VerdictKind::Hang || ending.status == kEndlessLoop)
    return is(VerdictKind::Hang, "time");
  if (worker.killed_for == VerdictKind::Memory || ending.status == kOutOfMemory) {
    if (death.index != first_[w]) return {};
    return is(VerdictKind::Memory, "memory");
  }
  if (ending.signal) return is(VerdictKind::Crash, fmt::format("signal {}", ending.signal));
  return is(VerdictKind::Bug, "exception");
}

// A machine without memory, or a limit of processor time, ends the same program each time: it is
// given up, and said.
bool WorkerPool::ended_outside_again(size_t w, uint64_t index) {
  constexpr int kTimes = 3;
  Outside& o = outside_[w];
  o = {index, o.index == index ? o.times + 1 : 1};
  if (o.times < kTimes) return false;
  std::fprintf(stderr,
               "fusillade: seed=%llu index=%llu is left out: its worker was ended from outside %d "
               "times (no memory left on the machine, or ulimit -t)\n",
               static_cast<unsigned long long>(crew_.seed), static_cast<unsigned long long>(index),
               kTimes);
  return true;
}

}  // namespace fusillade::fuzz
