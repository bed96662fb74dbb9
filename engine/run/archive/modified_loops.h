// Loops that have both a trip count and a condition are no Python; as a `while` over a counter they
// are.
//
//   prim::Loop(%n, %c, %x)        ->   i = 0; go = c and n > 0
//                                      while go: ...; i += 1; go = c' and i < n
#pragma once

#include <memory>

#include "engine/ir/graph.h"

namespace fusillade::archive {

enum class LoopKind : uint8_t { For, While, Both };
LoopKind loop_kind(const Node* loop);

// A copy of `graph` without such loops; null when it has none..
std::unique_ptr<Graph> without_modified_loops(const Graph& graph);

}  // namespace fusillade::archive
