// What a compiler did while a plan was measured (engine/base/event.h), by call and by the plan's
// own clock, on which only what is measured of this plan takes time.
//
// A book is open while a timed stretch of its plan lasts; an event is written into the open one.
// What happens several times in a call is one entry with a count, and after kMost entries what
// comes is added to the last of its kind, so that a book is short whatever happens.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/event.h"

namespace fusillade::bench {

struct JitEvent {
  std::string kind, what;
  int64_t call = -1;  // from 0; -1: before the first, while the program is prepared
  int64_t count = 1;
  double at = 0;    // seconds on the plan's clock, when the first of them began
  double took = 0;  // seconds, all of them
};

class EventBook {
 public:
  static constexpr size_t kMost = 64;
  static constexpr size_t kMostText = 160;

  // The stretch that lasts while it lives.
  class Recording {
   public:
    explicit Recording(EventBook& book);
    ~Recording();
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;

   private:
    EventBook& book_;
  };

  void next_call() { call_.fetch_add(1, std::memory_order_relaxed); }
  void write(const Event& e);
  const std::vector<JitEvent>& entries() const { return entries_; }
  double total(std::string_view kind) const;  // seconds

  // For the listener: into the open book, if one is.
  static void write_into_current(const Event& e);

 private:
  using Clock = std::chrono::steady_clock;
  std::atomic<int64_t> call_{-1};
  double before_ = 0;  // seconds of stretches that ended
  Clock::time_point start_;
  std::vector<JitEvent> entries_;
};

}  // namespace fusillade::bench
