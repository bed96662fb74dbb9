// How long a child has been at one unit of its work (heartbeat.h): the clock since its last beat,
// less the time that its main thread was queued for a processor meanwhile, as far as the kernel
// reports it (Linux schedstat). So on a busy machine what is merely queued is no hang, and what
// sleeps or spins for ever is one. Where nobody looked for long, this process may have been stopped
// (Ctrl-Z) and the child with it: of such a gap a second counts. While the child alone is stopped,
// nothing counts for a minute: who stops itself has an end.
#pragma once

#include <cstdint>

#include "fuzz/process/spawn.h"

namespace fusillade::fuzz {

class UnitClock {
 public:
  // Seconds of the unit that began at `began_us` (as now_us), to be asked of one child, every now
  // and then, from its start on. What it queued between two looks counts for the later unit. A wait
  // that has not ended, which the kernel does not report yet, shows by the thread making no
  // progress.
  double seconds(const Child& child, int64_t began_us);

 private:
  int64_t began_us_ = -1;
  int64_t looked_us_ = 0;         // the last look
  int64_t unseen_us_ = 0;         // of this unit, in gaps between looks
  int64_t stopped_us_ = 0;        // of this unit
  double queued_ = 0;             // of the child's life, at the last look
  double queued_before_ = 0;      // and at the last look before this unit
  double ran_ = -1;               // of its life, at the last look
  int64_t stalled_since_us_ = 0;  // the last look at which it had run, or did not want to
};

}  // namespace fusillade::fuzz
