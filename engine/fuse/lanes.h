// Will a loop that sums what an expression gives run in lanes of a register, each with a sum of its
// own? Else it adds one element after the other, and its rounding grows with their number.
#pragma once

#include <vector>

#include "engine/kernel/kernel.h"

namespace fusillade::fuse {

// Of the innermost loop over `var`: what is computed has vectors, and elements that are read lie
// side by side, or are one. Where that is not certain, no.
bool has_lanes(const Expr& element, int var, const std::vector<kernel::Buffer>& buffers);

}  // namespace fusillade::fuse
