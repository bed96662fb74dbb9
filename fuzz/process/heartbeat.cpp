// See heartbeat.h.
#include "fuzz/process/heartbeat.h"

#include <sys/mman.h>

#include <chrono>
#include <new>

#include "fuzz/process/shared_memory.h"

namespace fusillade::fuzz {
namespace {

std::atomic<int64_t>* heartbeats = nullptr;

}  // namespace

int64_t now_us() {
  auto t = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(t).count();
}

void heartbeat() {
  if (heartbeats) heartbeats->store(now_us(), std::memory_order_release);
}

void heartbeat_at(std::atomic<int64_t>* place) { heartbeats = place; }

int64_t last_heartbeat() { return heartbeats ? heartbeats->load(std::memory_order_acquire) : 0; }

SharedHeartbeat::SharedHeartbeat() {
  place_ = new (map_shared(sizeof *place_)) std::atomic<int64_t>(0);
}

SharedHeartbeat::~SharedHeartbeat() { munmap(place_, sizeof *place_); }

}  // namespace fusillade::fuzz
