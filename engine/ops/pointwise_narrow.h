// Element-wise operators of integers narrower than 64 bits, computed in their own size where a
// formula allows it (Formula::narrow): a register holds so many more.
#pragma once

#include "engine/ops/operator.h"
#include "engine/tensor/iterate.h"

namespace fusillade {

// The plan's loop, where all tensors are of its compute dtype; null: it is for 64 bits.
NativeLoop narrow_loop(const PointwisePlan& plan, std::span<const IValue> args);
void run_narrow(const PointwisePlan& plan, std::span<const IValue> args, NativeLoop loop,
                const Tensor& out);

}  // namespace fusillade
