// Operators that give a tensor other sizes, strides or another offset in its place: t_, unsqueeze_,
// as_strided_, resize_ and their kind.
//
// A tensor is one for all who hold it, so all of them see the change; views of it are tensors of
// their own and stay. So what was told of a value's type holds where it was computed, and not where
// it is used later: inference tells nothing of programs with such operators (ir/types.h), and
// passes that ask it leave them alone (passes/pass.h, kReshapes).
#pragma once

#include "engine/ops/operator.h"

namespace fusillade {

bool reshapes_in_place(const Operator& op);

// What puts a result into the tensor of an `out=` form: prim::into(out, made, op, exact). It
// resizes only where the sizes differ.
inline constexpr const char* kInto = "prim::into";
bool fits_out(const Operator& op);

}  // namespace fusillade
