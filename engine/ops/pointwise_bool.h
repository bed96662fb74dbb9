// Element-wise operators of bools: a formula of one or two truth values is a polynomial over bits,
//
//   f(a, b) = f(0, 0) ^ a & p ^ b & q ^ a & b & r
//
// so that a byte is computed as a byte, many at once, whatever the formula is.
#pragma once

#include "engine/ops/operator.h"
#include "engine/tensor/iterate.h"

namespace fusillade {

// Whether operands and result are bools, all of them tensors.
bool is_bool_plan(const PointwisePlan& plan, std::span<const IValue> args);
// `loop` is the plan's formula for integers.
void run_bools(const PointwisePlan& plan, std::span<const IValue> args, NativeLoop loop,
               const Tensor& out);

}  // namespace fusillade
