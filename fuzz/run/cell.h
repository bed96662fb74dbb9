// Cells converted between dtypes: what a legal conversion may give.
#pragma once

#include "engine/tensor/iterate.h"
#include "fuzz/run/shadow.h"

namespace fusillade::fuzz {

Bounded to_real(const IntRange& r, DType to);
// A result of the compute type stored to `to`, which computes in that type.
Bounded to_real(const Bounded& b, DType to);
// An element of a tensor of another dtype brought to `to`.
Bounded converted(const Bounded& b, DType to);
IntRange to_whole(const IntRange& r, DType to);
IntRange to_whole(const Bounded& b, DType to);
// For arithmetic on uncertain integers; all() beyond the integers a double holds.
Bounded as_bounded(const IntRange& r);

// Copies one cell, converting; `from_real` and the like follow from the dtypes of the storages.
void convert_cell(const Cells& from, int64_t i, Cells& to, int64_t k);

}  // namespace fusillade::fuzz
