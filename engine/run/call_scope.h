// What a call of a graph runs under, whichever executor runs it: the mode of devices, a tape, the
// mode of gradients, and the scope of its tasks.
#pragma once

#include <optional>

#include "engine/front/autograd.h"
#include "engine/ops/device_mode.h"
#include "engine/run/tasks.h"

namespace fusillade {

// What the calls of a graph need; found once, where it is prepared.
struct CallNeeds {
  explicit CallNeeds(const Graph& graph);
  bool records;  // a tape
  bool devices;
  bool tasks;
};

class CallScope {
 public:
  // `threads`: may tasks run on other threads? The eager mode runs each at its fork.
  explicit CallScope(const CallNeeds& needs, bool threads = true);
  // The results of the call; throws what the tasks among them threw.
  std::vector<IValue> end(std::vector<IValue> results) const;

 private:
  const bool has_tasks_;
  const DeviceScope devices_;
  std::optional<eager::Gradients> recorded_;
  std::optional<eager::GradMode> kept_;  // a program that raises may leave it switched
  std::optional<TaskScope> tasks_;
};

}  // namespace fusillade
