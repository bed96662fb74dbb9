// See unit_clock.h.
#include "fuzz/process/unit_clock.h"

#include "fuzz/process/beat.h"

namespace fusillade::fuzz {

double UnitClock::seconds(const Child& child, int64_t began_us) {
  const double clock = static_cast<double>(now_us() - began_us) / 1e6;
  if (began_us != began_us_) {
    began_us_ = began_us;
    queued_ = child.queued_seconds();
    return clock;
  }
  return clock - (child.queued_seconds() - queued_);
}

}  // namespace fusillade::fuzz
