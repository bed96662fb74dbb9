// Lists and dicts of a graph as Python's own: `v0[v1]`, `v0.get(v1)`, `v0[v1] = v2`.
//
// No op of a worker is needed for them. Keys are strings, ints and bools: floats may be NaN, and
// tensors are compared by identity in one language and by place in the other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/ir/graph.h"

namespace fusillade::fuzz {

struct ContainerPython {
  std::string text;
  bool statement = false;  // else an expression; what a statement gives is its first argument
};

// None where the node is about neither. Throws Unsupported for a dict of other keys.
std::optional<ContainerPython> container_python(const Node* n,
                                                const std::vector<std::string>& args);

}  // namespace fusillade::fuzz
