// See heartbeat.h.
#include "fuzz/process/heartbeat.h"

#include <sys/mman.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <new>

#include "engine/base/error.h"

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

SharedHeartbeat::SharedHeartbeat() {
  void* memory =
      mmap(nullptr, sizeof *place_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) fail("cannot map shared memory: {}", std::strerror(errno));
  place_ = new (memory) std::atomic<int64_t>(0);
}

SharedHeartbeat::~SharedHeartbeat() { munmap(place_, sizeof *place_); }

}  // namespace fusillade::fuzz
