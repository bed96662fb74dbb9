// How generated tensors lie in memory.
#pragma once

#include "engine/ops/ivalue.h"
#include "engine/tensor/shape.h"
#include "fuzz/gen/generate.h"

namespace fusillade::fuzz {

// Strides: contiguous when `plain`; else dimensions in another order (channels last often among
// them), expanded, rows with gaps, every other element or every third.
Dims draw_strides(Choices& choices, const Dims& sizes, bool plain);
// What `memory_format` may be for a tensor of that rank; `preserves`: preserve_format as well.
IValue draw_memory_format(Choices& choices, int rank, bool preserves);

}  // namespace fusillade::fuzz
