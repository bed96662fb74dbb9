// What conversions (`to` and its like, aten/pointwise/cast.cpp) ask of others.
#pragma once

#include "engine/ops/operator.h"

namespace fusillade {

// Does an element-wise operator give self itself for these arguments, of which all are known?
bool returns_self(const Operator& op, std::span<const ArgInfo> args);

}  // namespace fusillade
