// A program as the C++ function that someone would have written by hand: its nodes as calls of the
// eager API, its branches and loops as C++'s. Run without a trace it computes what the program
// computes; recorded, it is flattened.
//
// Objects, dicts, and lists where some are written, are kept outside the trace, which knows the
// tensors in them; numbers in them are fixed. Not replayed (Unsupported): writes to lists that are
// inputs or results of ops.
#pragma once

#include "engine/front/trace.h"

namespace fusillade::fuzz {

// Takes one value per input of `graph`, which must outlive it; a tuple when the graph has not one
// output.
TraceFunction replay_of(const Graph& graph);
// Has the graph branches, loops, or calls of functions with them?
bool has_control_flow(const Graph& graph);
// Has it, or have its callees, objects, dicts, or writes to lists?
bool has_stores(const Graph& graph);

}  // namespace fusillade::fuzz
