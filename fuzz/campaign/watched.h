// A worker as its supervisor sees it: is it stuck, too large, or idle between two programs, where
// no time limit applies (somebody stopped it)?
#pragma once

#include "fuzz/campaign/slot.h"
#include "fuzz/process/unit_clock.h"
#include "fuzz/verdict/verdict.h"

namespace fusillade::fuzz {

struct Watched {
  double most_idle = 10;  // seconds; between two programs some microseconds pass
  Child child;
  bool finished = false;
  VerdictKind killed_for = VerdictKind::Ok;  // by us, for what its program did
  bool idle_too_long = false;                // and therefore killed by us

  bool alive() const { return child.alive() && killed_for == VerdictKind::Ok && !idle_too_long; }
  // To be asked every now and then while it is alive.
  void kill_beyond(const Limits& limits, const Slot& slot);

 private:
  bool is_idle_too_long(const Slot& slot);
  UnitClock clock_;
  int64_t idle_since_us_ = 0;  // the first check that found it idle there; 0: it works
  uint64_t idle_before_ = 0;   // the program that it has not started
};

}  // namespace fusillade::fuzz
