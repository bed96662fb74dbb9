// See examples.h.
#include "engine/run/examples.h"

#include "engine/run/frame.h"
#include "engine/run/type_record.h"

namespace fusillade {

std::vector<Type> example_types(const Graph& graph, const std::vector<IValue>& examples) {
  check_inputs(graph, examples);
  return types_of_arguments(graph, examples);
}

}  // namespace fusillade
