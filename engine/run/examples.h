// Example inputs as types: what a pipeline may take for granted when it compiles for inputs like
// these alone (PipelineOptions::inputs).
#pragma once

#include <vector>

#include "engine/ir/graph.h"

namespace fusillade {

// The declared type of each input, narrowed to what its example shows: a tensor's dtype, sizes,
// strides and device, the option of an Optional or a Union, these within tuples. Lists, dicts and
// objects, which may change, keep what is declared. Error when there is not one for
// each input, or one is not of its declared type.
std::vector<Type> example_types(const Graph& graph, const std::vector<IValue>& examples);

}  // namespace fusillade
