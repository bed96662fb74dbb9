// Which values are written inside the expression that uses them, and not as statements of their
// own.
#pragma once

#include <unordered_set>

#include "engine/ir/graph.h"

namespace fusillade::archive {

// The nodes of `graph` (its blocks included) whose one result is written where it is used. Walking
// each block from its end, a node is among them when it is the next one that evaluating the
// expression behind it would run: so text order is node order.
std::unordered_set<const Node*> inline_nodes(const Graph& graph);
// An identifier: "x" of "x.1"; empty for names that are numbers or were invented by a printer (_0,
// _1).
std::string base_name(const Value* value);

}  // namespace fusillade::archive
