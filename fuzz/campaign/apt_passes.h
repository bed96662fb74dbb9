// Passes that have something to look at in a program, told by the ops that are in it and nothing
// else: no pass runs here.
#pragma once

#include <string>
#include <vector>

#include "engine/ir/graph.h"

namespace fusillade::fuzz {

// By name, each once, in the order of the first op that they are for; empty: the program has none.
std::vector<std::string> apt_passes(const Graph& program);

}  // namespace fusillade::fuzz
