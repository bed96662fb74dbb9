// Geometry that several families of operators share.
#pragma once

#include "engine/ops/operator.h"

namespace fusillade {

// Memory of `sizes` and `strides` seen as `wanted`, of as many elements; says `copy` where no
// strides do.
ViewGeometry reshaped_view(const Dims& sizes, const Dims& strides, const Dims& wanted);

// Registers a View operator; `permutes` as in Operator.
const Operator& add_view(const char* schema, PlanViewFn plan, std::vector<Role> roles,
                         const char* family, bool generate = true, DrawFn draw = nullptr,
                         bool permutes = false);

// Known sizes of a tensor argument that only says how large something is; declines when unknown.
const Dims& known_sizes(const Operator& op, const ArgInfo& arg);

// An argument that must be known: an int, a list of ints; declines when it is not.
int64_t known_int(const Operator& op, std::span<const ArgInfo> args, size_t i);
Dims known_dims(const Operator& op, std::span<const ArgInfo> args, size_t i);

}  // namespace fusillade
