// Scalar values of the checking interpreter: 64 bits each, and one function per operation.
//
// Bool and I64 hold an int64; F32 and F64 their IEEE bits (F32 in the low half), or in the ring
// domain their residue. The functions are the native and ring models' own, so results equal eager
// mode's bit for bit.
#pragma once

#include <cstdint>

#include "engine/scalar/expr.h"

namespace fusillade::kernel {

using ScalarFn = uint64_t (*)(uint64_t a, uint64_t b, uint64_t c);

// The function of an operation whose operands are of `operand` and whose result is of `result`.
// Null when the model has no such operation. Convert and Round included; Load, Var and Imm are not
// functions.
ScalarFn scalar_function(const ExprNode& e, Model operand, Domain domain);
// The value of a literal.
uint64_t literal_value(const ExprNode& e, Domain domain);
// Element of a buffer to value and back.
uint64_t load_scalar(DType dtype, const void* memory, Domain domain);
void store_scalar(DType dtype, void* memory, uint64_t value, Domain domain);

}  // namespace fusillade::kernel
