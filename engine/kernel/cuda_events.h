// Two points of a stream, and the time between them by the device's clock.
#pragma once

#include <array>

#include "engine/kernel/cuda_device.h"

namespace fusillade::kernel::cuda {

class EventPair {
 public:
  explicit EventPair(const Device& device) : device_(device) {
    for (Event& e : events_) device.ask(device.driver().make_event, "an event", &e, 0u);
  }
  ~EventPair() {
    for (Event e : events_)
      if (e) device_.driver().end_event.address(e);
  }
  EventPair(const EventPair&) = delete;
  EventPair& operator=(const EventPair&) = delete;

  void begin(Stream stream) const { record(0, stream); }
  void end(Stream stream) const { record(1, stream); }
  // Waits for the second.
  double milliseconds() const {
    float out = 0;
    device_.ask(device_.driver().wait_event, "an event", events_[1]);
    device_.ask(device_.driver().elapsed, "two events", &out, events_[0], events_[1]);
    return out;
  }

 private:
  void record(size_t which, Stream stream) const {
    device_.ask(device_.driver().record, "an event", events_[which], stream);
  }

  const Device& device_;
  std::array<Event, 2> events_{};
};

}  // namespace fusillade::kernel::cuda
