// What a rewrite rule claims, one claim per choice of types for its variables: that both sides are
// one value. A choice that the rule's guard refuses, or for which a side has no overload, is no
// claim.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/ir/graph.h"
#include "engine/passes/rule.h"

namespace fusillade::fuzz {

struct RuleInstance {
  std::string types;             // "x: i32, y: int"
  std::unique_ptr<Graph> graph;  // the variables -> (left side, right side)
};

// Variables are tensors of each dtype, ints, floats and bools. Rules about views (kSameMemory) have
// none: what they claim is about memory, and campaigns draw them.
std::vector<RuleInstance> instances_of(const Rule& rule);

}  // namespace fusillade::fuzz
