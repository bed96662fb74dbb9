// Operators that make a tensor of one number: zeros, ones and full, their kind like a tensor,
// new_full.
#pragma once

#include <span>

#include "engine/ops/operator.h"

namespace fusillade {

bool is_fill(const Operator& op);
// The number that each element is, before it is converted to the result's dtype. Throws Error where
// arguments are illegal, Unsupported where it is not known.
IValue filled_with(const Operator& op, std::span<const ArgInfo> args);

}  // namespace fusillade
