// Programs that differ from one by a little: what a cache may take for it.
#pragma once

#include <memory>
#include <vector>

#include "engine/ir/graph.h"

namespace fusillade::fuzz {

// Copies of the program, of its name, its types and its structure, each with one change: another
// constant, an op in another's place, two operands exchanged. At most one of each kind. They need
// not be legal. None of a program whose loop counts depend on values: they might never end.
std::vector<std::shared_ptr<Graph>> siblings_of(const Graph& program);

}  // namespace fusillade::fuzz
