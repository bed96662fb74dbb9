// Collecting nodes into groups: what passes share that put a part of a graph into a subgraph.
//
//   %1 = aten::mul(%a, %b)                 %2 = prim::TensorExprGroup_0(%a, %b)
//   %2 = aten::add(%1, %a, %one)     =>    with prim::TensorExprGroup_0 = graph(%a, %b):
//                                            %1 = aten::mul(%a, %b) ...
//
// Consumer first: each node that may fuse and returns a fresh value seeds a group at its position;
// producers are pulled in until nothing fits. A producer fits when it is in the same block, every
// other user comes after the seed, and neither it nor its inputs are ever written. A producer whose
// result may alias its input (a view) fits only when all its users are inside: what leaves a group
// is always fresh. What may raise is not pulled past anything that the caller can observe: a write
// to the caller's memory, a print, a statement that raises. Random numbers are drawn in program
// order: all nodes that draw between a member that does and the seed are members. Constants, and
// lists of constants, are copied into the group. Not done: merging siblings that share no edge,
// crossing control flow.
#pragma once

#include <functional>
#include <span>
#include <unordered_set>

#include "engine/passes/effects.h"
#include "engine/passes/pass.h"

namespace fusillade {

// What one pass groups, and into what.
struct GroupKind {
  // Outside: never. Helper: pulled in, and neither seeds nor counts. Part: a list that belongs to
  // the one node that reads it; they come together or not at all.
  enum class MayFuse : uint8_t { Outside, Helper, Part, Member };

  const Operator& op;  // of the node that holds a group
  std::function<MayFuse(const Node*)> may_fuse{};
  // May its result be memory that others hold, so that it must not leave?
  std::function<bool(const Node*)> stays_inside{};
  // Is the value's memory ever written?
  std::function<bool(const Effects&, const Value*)> written{};
  // Nodes with different numbers are never moved past each other.
  std::function<int(const Node*)> stretch{};
  // May it fuse with these? Null: all that are no Outside.
  std::function<bool(const Node*, std::span<Node* const>)> may_fuse_with{};
  // May a node before the seed that no member reads?
  std::function<bool(const Node*, std::span<Node* const>)> fuses_horizontally{};
  // Are these, Helpers left out, to be a group?
  std::function<bool(std::span<Node* const>)> pays{};
  std::vector<std::pair<std::string, Attribute>> attributes{};
};

void make_groups(Graph& graph, Rewriter& rewriter, const GroupKind& kind);

}  // namespace fusillade
