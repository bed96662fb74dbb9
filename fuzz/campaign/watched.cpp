// See watched.h.
#include "fuzz/campaign/watched.h"

#include "fuzz/process/heartbeat.h"
#include "fuzz/process/loop_limit.h"

namespace fusillade::fuzz {

void Watched::kill_beyond(const Limits& limits, const Slot& slot) {
  if (!alive()) return;
  const int64_t started = slot.started_us.load();
  if (started == 0) {
    idle_too_long = is_idle_too_long(slot);
  } else {
    idle_since_us_ = 0;
    if (clock_.seconds(child, started) > kLoopGrace * limits.seconds)
      killed_for = VerdictKind::Hang;
  }
  if (alive() && child.beyond(limits.megabytes)) killed_for = VerdictKind::Memory;
  if (!alive()) child.kill();
}

bool Watched::is_idle_too_long(const Slot& slot) {
  const uint64_t next = slot.next.load();
  if (idle_since_us_ == 0 || next != idle_before_) {
    idle_since_us_ = now_us();
    idle_before_ = next;
  }
  return clock_.seconds(child, idle_since_us_) > most_idle;
}

}  // namespace fusillade::fuzz
