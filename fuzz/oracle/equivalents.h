// Equivalents: other graphs that mean what a program means, created by rewriting every match of a
// kind of equivalent. Values, what shares memory with what, writes and errors stay; so eager mode
// gives the same bits, and each plan what it may give of the program itself.
#pragma once

#include <memory>
#include <span>

#include "engine/ir/graph.h"

namespace fusillade::fuzz {

struct EquivalenceKind {
  const char* name;  // "dead-code"
  // Rewrites `graph` in place; false when it has no place for it.
  bool (*rewrite)(Graph& graph);
};

std::span<const EquivalenceKind> equivalence_kinds();

// Writes the left sides of rewrite rules for their right sides (backwards.cpp) at `nodes`, which do
// nothing but create tensors; false where no rule matches.
bool undo_rules(std::span<Node* const> nodes);

// Null: the program has no match for it.
std::unique_ptr<Graph> equivalent_of(const Graph& program, const EquivalenceKind& kind);

}  // namespace fusillade::fuzz
