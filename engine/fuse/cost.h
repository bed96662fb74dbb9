// What groups cost, known before lowering. Passes weigh it when they form groups, and lowering when
// it chooses what is stored in memory.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "engine/ir/graph.h"
#include "engine/scalar/expr.h"

namespace fusillade::fuse {

// Nodes that are to be one group, as far as they are collected, in no order.
using Members = std::span<Node* const>;

// Each node runs once. Bytes move between memory and processor, each element counted once per node
// that reads or writes it; -1: a type that determines them is not known.
struct Cost {
  int64_t calls = 0;
  int64_t bytes = 0;
};
Cost cost_by_operators(Members nodes);
// As one kernel: what comes in from outside and what leaves.
Cost cost_as_kernel(Members nodes);
bool pays(const Cost& kernel, const Cost& operators);  // it takes fewer calls, whatever the sizes

// Nodes that lowering meets, composites decomposed: it and back ends recurse as deep as a group is
// long.
inline constexpr int64_t kMostLowered = 1000;
int64_t lowered_nodes(const Node* node);

// Of one element, in cycles of a core that computes 16 floats at once (docs/inside/kernels.md):
// sums and products 1, quotients and roots 6, functions that have vectors some 12, others as often
// as 16.
int64_t cycles_of(const Expr& value);

}  // namespace fusillade::fuse
