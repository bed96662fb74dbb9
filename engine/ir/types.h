// What is known of a graph's values before it runs, from what is known of its inputs: types, and
// values of scalars and lists.
#pragma once

#include <vector>

#include "engine/ir/graph.h"

namespace fusillade {

// Does it, or what it calls, give a tensor other sizes in its place (ops/reshape_in_place.h)?
bool changes_sizes(const Graph& graph);

// By value id: what holds of the value wherever and whenever it is computed, if `inputs` (one per
// input of the graph) holds of the inputs. Of what is not reached, or comes after a node that can
// only raise, and of what only the run decides, no more than the declared type. Lists may be
// written: nothing but their type. Of a graph that takes too long to follow, or that changes sizes,
// no more than what is declared. Throws Bug only.
std::vector<ArgInfo> types_of(const Graph& graph, const std::vector<ArgInfo>& inputs);

// The same, of a graph whose only nodes that change sizes are prim::into: as if none of them did.
// It holds where each is found to have equal sizes on both sides, since the first that resizes
// would be found out.
std::vector<ArgInfo> types_if_outs_fit(const Graph& graph);

}  // namespace fusillade
