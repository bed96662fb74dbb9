// What a program is sure of: a cast that no run checks holds since a branch was taken, and a value
// that was never set is not read since another was not. Whatever decides these branches has to stay
// as it is, or a program asks for what no program is promised.
#pragma once

#include <set>

#include "engine/ir/graph.h"

namespace fusillade::fuzz {

// The nodes that decide branches, with all that these are computed from, the returns of blocks
// among them; in a program without such casts and values, none.
std::set<const Node*> deciding_nodes(const Graph& graph);

}  // namespace fusillade::fuzz
