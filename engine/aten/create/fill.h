// Rows that make a tensor of one number: zeros, ones and full, their kind like a tensor, new_full.
#pragma once

#include <span>

#include "engine/ops/row.h"

namespace fusillade {

bool is_fill(const Row& row);
// The number that each element is, before it is converted to the result's dtype. Throws Error where
// arguments are illegal, Unsupported where it is not known.
IValue filled_with(const Row& row, std::span<const ArgInfo> args);

}  // namespace fusillade
