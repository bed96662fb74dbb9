// The only way to the types of a call's results: dtypes and shapes by the operator's own inference,
// devices and gradients by rules that hold for every operator.
#pragma once

#include <span>
#include <vector>

#include "engine/ops/operator.h"

namespace fusillade {

// Appends them; throws what operator.infer throws. Operators without inference give what their
// schema says.
void infer_results(const Operator& op, std::span<const ArgInfo> args, std::vector<Type>& results);

// A tensor without elements: only dtype, sizes, strides and device exist. `info` must know them.
IValue hollow(const TensorInfo& info);

}  // namespace fusillade
