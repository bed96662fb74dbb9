// The sign of life that limits of time count from. A judgement is many units of work, each of which
// begins with heartbeat(): a plan prepared, one call run under it, the bound of one call computed.
// So an expensive op that many plans run on many calls is no hang, and one unit that does not end
// is.
//
// Who limits a process gives it an address to write to, in memory that both share; without one a
// heartbeat does nothing. An address given later replaces the earlier one, in this process and
// those it forks.
#pragma once

#include <atomic>
#include <cstdint>

namespace fusillade::fuzz {

// Microseconds of the steady clock.
int64_t now_us();

void heartbeat();
void heartbeat_at(std::atomic<int64_t>* place);
// When this process's last one was, as now_us; 0: none was written.
int64_t last_heartbeat();

// Such a place, for one child.
class SharedHeartbeat {
 public:
  SharedHeartbeat();
  ~SharedHeartbeat();
  SharedHeartbeat(const SharedHeartbeat&) = delete;
  SharedHeartbeat& operator=(const SharedHeartbeat&) = delete;
  std::atomic<int64_t>* place() const { return place_; }
  // When the last one was, as now_us; 0 before the first.
  int64_t last() const { return place_->load(std::memory_order_acquire); }

 private:
  std::atomic<int64_t>* place_;
};

}  // namespace fusillade::fuzz
