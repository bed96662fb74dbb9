// The one way to the types of a call's results: what the operator's own inference tells of dtypes
// and shapes, and what holds for every operator of devices and gradients.
#pragma once

#include <span>
#include <vector>

#include "engine/ops/operator.h"

namespace fusillade {

// Appends them; throws what operator.infer throws. Operators without inference give what their
// schema says.
void infer_results(const Operator& op, std::span<const ArgInfo> args, std::vector<Type>& results);

// A tensor of which only dtype, sizes, strides and device exist, of a type that tells them.
IValue hollow(const TensorInfo& info);

}  // namespace fusillade
