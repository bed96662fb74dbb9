// A group's subgraph with every type complete, ready to be lowered: for these arguments, composites
// expanded, scalars that follow from constants and shapes folded.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/fuse/fuser.h"

namespace fusillade::fuse {

// What types gave for some sizes of the arguments, in the order of nodes.
struct TypeFacts {
  std::vector<int64_t> numbers;      // sizes and strides
  std::vector<std::string> scalars;  // folded
};

// Throws Unsupported where a type or a scalar is not known, or the group is illegal or too long.
std::unique_ptr<Graph> specialise(const Graph& group, const std::vector<ArgSpec>& args,
                                  TypeFacts& facts);

}  // namespace fusillade::fuse
