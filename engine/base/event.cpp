// See event.h.
#include "engine/base/event.h"

#include <atomic>
#include <mutex>

#include "engine/base/error.h"

namespace fusillade {
namespace {

using Clock = std::chrono::steady_clock;

std::atomic<bool> heard{false};
std::mutex mutex;  // of what follows
std::function<void(const Event&)>& listener() {
  static std::function<void(const Event&)> kept;
  return kept;
}

thread_local TimedEvent* innermost = nullptr;

void notify(const Event& e) {
  std::lock_guard lock(mutex);
  if (listener()) listener()(e);
}

}  // namespace

EventListener::EventListener(std::function<void(const Event&)> hear) {
  std::lock_guard lock(mutex);
  FUS_CHECK(!listener(), "events have a listener already");
  listener() = std::move(hear);
  heard = true;
}

EventListener::~EventListener() {
  std::lock_guard lock(mutex);
  listener() = nullptr;
  heard = false;
}

bool events_heard() { return heard.load(std::memory_order_relaxed); }

void report_event(std::string_view kind, std::string what) {
  if (events_heard()) notify({kind, std::move(what), Clock::now()});
}

TimedEvent::TimedEvent(std::string_view kind, std::string_view what) : kind_(kind) {
  if (!events_heard()) return;
  reported_ = true;
  for (const TimedEvent* e = innermost; e; e = e->outer_)
    if (e->kind_ == kind) reported_ = false;
  what_ = what;
  outer_ = innermost;
  innermost = this;
  start_ = Clock::now();
}

TimedEvent::~TimedEvent() {
  if (innermost != this) return;
  innermost = outer_;
  const Clock::time_point end = Clock::now();
  if (reported_)
    notify({kind_, std::move(what_), end, std::chrono::duration<double>(end - start_).count()});
}

}  // namespace fusillade
