// See unit_clock.h.
#include "fuzz/process/unit_clock.h"

#include <algorithm>

#include "fuzz/process/heartbeat.h"

namespace fusillade::fuzz {
namespace {

constexpr int64_t kMostGap = 1'000'000;  // microseconds
constexpr int64_t kMostStopped = 60'000'000;

}  // namespace

double UnitClock::seconds(const Child& child, int64_t began_us) {
  const int64_t now = now_us();
  // The child says when: what is still to come is no beat, and the unit before it goes on.
  began_us = std::max<int64_t>(began_us, 0);
  if (began_us > now) began_us = began_us_ >= 0 ? began_us_ : now;
  const double queued = child.queued_seconds();
  if (began_us != began_us_) {
    queued_before_ = began_us_ < 0 ? queued : queued_;
    began_us_ = began_us;
    unseen_us_ = stopped_us_ = 0;
  }
  const int64_t gap = looked_us_ ? now - std::max(looked_us_, began_us) : 0;
  const bool is_stopped = child.is_stopped() && stopped_us_ < kMostStopped;
  if (is_stopped) stopped_us_ += gap;
  else unseen_us_ += std::max<int64_t>(0, gap - kMostGap);
  looked_us_ = now;
  queued_ = queued;
  const double ran = child.running_seconds();
  if (ran != ran_ || ran == 0 || !child.wants_processor()) stalled_since_us_ = now;
  ran_ = ran;
  const int64_t stalled_us = now - std::max(stalled_since_us_, began_us);
  const double clock = static_cast<double>(now - began_us - unseen_us_ - stopped_us_) / 1e6;
  return clock - (queued_ - queued_before_) - static_cast<double>(stalled_us) / 1e6;
}

}  // namespace fusillade::fuzz
