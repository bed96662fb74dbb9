// What the operators that put tensors one behind the other (cat, stack) make of their list.
#pragma once

#include <span>
#include <vector>

#include "engine/ops/operator.h"

namespace fusillade {

struct Join {
  DType dtype = DType::F32;
  Dims sizes;
  int dim = 0;
  bool fresh_dim = false;  // stack: each part is one place of a dimension that it lacks
  std::vector<int> parts;  // of the list, those that take part; ATen skips tensors of shape [0]
};

bool is_join(const Operator& op);
// Throws Error where the tensors cannot be joined, Unsupported where they are not known.
Join plan_join(const Operator& op, std::span<const ArgInfo> args);

}  // namespace fusillade
