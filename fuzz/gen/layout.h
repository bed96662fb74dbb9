// How generated tensors lie in memory.
#pragma once

#include "engine/tensor/shape.h"
#include "fuzz/gen/generate.h"

namespace fusillade::fuzz {

// Strides: contiguous when `plain`; else dimensions in another order, expanded, rows with gaps,
// every other element or every third.
Dims draw_strides(Choices& choices, const Dims& sizes, bool plain);

}  // namespace fusillade::fuzz
