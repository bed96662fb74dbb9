// How a kernel is built, without its sizes: how many stages it has, how deep its loops are, how
// many accumulators, and whether it has branches, vector loops and barriers; and which kinds of
// dtypes its buffers have: half, f32, f64, int, bool.
// Counts are rounded, so that there are hundreds of shapes and not a million.
#pragma once

#include <string>

#include "engine/kernel/kernel.h"

namespace fusillade::fuzz {

// "s2d3a1vib/f32+int": 2 stages, loops 3 deep, 1 accumulator, a vector loop, a branch (i), a
// barrier (b). Counts of 3 or more are rounded down to a power of two, loop depth is capped at 9.
std::string shape_of(const kernel::Kernel& kernel);

}  // namespace fusillade::fuzz
