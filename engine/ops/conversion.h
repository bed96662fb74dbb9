// What conversions (`to` and its like, aten/pointwise/cast.cpp) ask of others.
#pragma once

#include "engine/ops/row.h"

namespace fusillade {

// Does an element-wise row give self itself for these arguments, of which all are known?
bool returns_self(const Row& row, std::span<const ArgInfo> args);

}  // namespace fusillade
