// What is wrong with a graph, and where; verify() of graph.h throws the same as a Bug.
#pragma once

#include <optional>
#include <string>

#include "engine/ir/graph.h"

namespace fusillade {

struct Flaw {
  std::string what;
  const Node* at;
};
std::optional<Flaw> find_flaw(const Graph& graph);

}  // namespace fusillade
