// See events.h.
#include "bench/harness/events.h"

#include <algorithm>

namespace fusillade::bench {
namespace {

std::atomic<EventBook*> current_book{nullptr};

double seconds(std::chrono::steady_clock::duration d) {
  return std::chrono::duration<double>(d).count();
}

}  // namespace

EventBook::Recording::Recording(EventBook& book) : book_(book) {
  book_.start_ = Clock::now();
  current_book = &book_;
}

EventBook::Recording::~Recording() {
  current_book = nullptr;
  book_.before_ += seconds(Clock::now() - book_.start_);
}

void EventBook::write_into_current(const Event& e) {
  if (EventBook* book = current_book) book->write(e);
}

void EventBook::write(const Event& e) {
  const std::string what = e.what.substr(0, kMostText);
  const int64_t call = call_.load(std::memory_order_relaxed);
  const auto same = std::find_if(entries_.rbegin(), entries_.rend(), [&](const JitEvent& old) {
    if (old.kind != e.kind) return false;
    return entries_.size() >= kMost || (old.call == call && old.what == what);
  });
  if (same != entries_.rend()) {
    ++same->count;
    same->took += e.seconds;
    return;
  }
  const double at = before_ + seconds(e.end - start_) - e.seconds;
  entries_.push_back({std::string(e.kind), what, call, 1, std::max(at, 0.0), e.seconds});
}

double EventBook::total(std::string_view kind) const {
  double sum = 0;
  for (const JitEvent& e : entries_)
    if (e.kind == kind) sum += e.took;
  return sum;
}

}  // namespace fusillade::bench
