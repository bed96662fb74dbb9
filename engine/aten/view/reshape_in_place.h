// Operators that give a tensor other sizes, strides or another offset in its place: t_, unsqueeze_,
// as_strided_, resize_ and their kind.
//
// All owners of a tensor share it, so all of them see the change; views of it are tensors of their
// own and stay. So a value's type is valid where it was computed, not where it is used later.
// Inference gives no types in programs with such operators (ir/types.h), and passes that ask for
// them leave these programs alone (passes/pass.h, kReshapes).
#pragma once

#include "engine/ops/operator.h"

namespace fusillade {

bool reshapes_in_place(const Operator& op);

// prim::into(out, result, op, exact) puts a result into the tensor of an `out=` form. It resizes
// only where the sizes differ.
inline constexpr const char* kInto = "prim::into";
bool fits_out(const Operator& op);

}  // namespace fusillade
