// See call_scope.h.
#include "engine/run/call_scope.h"

#include "engine/ir/composite.h"
#include "engine/run/device_calls.h"
#include "engine/run/gradients.h"

namespace fusillade {

CallNeeds::CallNeeds(const Graph& graph)
    : records(asks_gradients(graph)),
      devices(asks_devices(graph)),
      tasks(has_tasks(graph.block())) {}

CallScope::CallScope(const CallNeeds& needs, bool threads)
    : has_tasks_(needs.tasks), devices_(needs.devices) {
  if (needs.records) recorded_.emplace();
  kept_.emplace(eager::records());
  if (needs.tasks && threads) tasks_.emplace();
}

std::vector<IValue> CallScope::end(std::vector<IValue> results) const {
  if (has_tasks_) TaskScope::look_into(results);
  return results;
}

}  // namespace fusillade
