// What a compiler does while programs run, reported to a listener as it happens: a kernel was
// compiled, a guard failed. Probes count the same for those who ask afterwards.
//
//   TimedEvent compiling("kernel compiled", backend.name);    reported when the scope ends
//   report_event("guard failed");
//
// Events are what happens now and then, never what each call does: without a listener one costs one
// relaxed load. Of nested events of one kind on the same thread only the outer one is reported, so
// that times of a kind add up. bench.schema.json lists all kinds.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

namespace fusillade {

struct Event {
  std::string_view kind;
  std::string what;  // which, or why; may be empty
  std::chrono::steady_clock::time_point end;
  double seconds = 0;  // that it took; 0: it took none
};

// While it lives, it receives events of all threads, one at a time. One lives at a time.
class EventListener {
 public:
  explicit EventListener(std::function<void(const Event&)> hear);
  ~EventListener();
  EventListener(const EventListener&) = delete;
  EventListener& operator=(const EventListener&) = delete;
};

bool events_heard();
void report_event(std::string_view kind, std::string what = "");

class TimedEvent {
 public:
  explicit TimedEvent(std::string_view kind, std::string_view what = "");
  ~TimedEvent();
  TimedEvent(const TimedEvent&) = delete;
  TimedEvent& operator=(const TimedEvent&) = delete;

 private:
  std::string_view kind_;
  std::string what_;
  TimedEvent* outer_ = nullptr;
  bool reported_ = false;  // will be
  std::chrono::steady_clock::time_point start_;
};

}  // namespace fusillade
