// A program as the C++ function that someone would have written by hand: its nodes as calls of the eager API, its
// branches and loops as C++'s. Run without a trace it computes what the program computes; recorded, it is flattened.
//
// Not replayed (Unsupported): prims that read their node (attributes of objects), writes to lists and dicts, which the
// eager API has no identity for.
#pragma once

#include "engine/front/trace.h"

namespace fusillade::fuzz {

// Takes one value per input of `graph`, which must outlive it; a tuple when the graph has not one output.
TraceFunction replay_of(const Graph& graph);
// Has the graph branches, loops, or calls of functions with them?
bool has_control_flow(const Graph& graph);

}  // namespace fusillade::fuzz
