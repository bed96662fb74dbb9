// The one way to the types of a call's results: what the row's own inference tells of dtypes and
// shapes, and what holds for every row of devices and gradients.
#pragma once

#include <span>
#include <vector>

#include "engine/ops/row.h"

namespace fusillade {

// Appends them; throws what row.infer throws. Rows without inference give what their schema says.
void infer_results(const Row& row, std::span<const ArgInfo> args, std::vector<Type>& results);

// A tensor of which only dtype, sizes, strides and device exist, of a type that tells them.
IValue hollow(const TensorInfo& info);

}  // namespace fusillade
