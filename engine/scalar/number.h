// The Number concept: what a pointwise formula may use, so that one generic lambda serves every
// model.
//
//   [](auto x) { using N = decltype(x); return N(1.0) / (N(1.0) + exp(-x)); }
//
// Models (each in its own header, each supplies everything below):
//   native   float, double, int64_t        one element: eager integers and comparisons
//   Lanes    registers of float, double    the eager kernel, with libmvec's functions
//   Expr     symbolic                      what fusers lower
//   Bounded  value and rigorous bound      the shadow: the tolerance
//   Dual     value and derivative          what gradients are checked against
//   Ring     integers mod 2^32 / 2^64      exact stand-in for floats
//
// Every model N has: N(double) for literals (exactly representable or rounded to the compute type),
// unary -, + - * /, comparisons < <= > >= == != giving N's condition type, `select(cond, a, b)`
// (evaluates both sides), `!c`, `c1 & c2`, `c1 | c2` on conditions, and the functions listed here.
// Integer models additionally have the operations of FUS_SCALAR_INT. `x != x` is the NaN test.
//
// Semantics are IEEE and C's for floats: rint rounds half to even; fmod is C's; pow is C's. Integer
// floor_div and floor_mod follow Python (sign of the divisor); division by zero in them throws
// Error in native code before the loop starts (the row checks), and is undefined inside a kernel.
#pragma once

#include "engine/tensor/domain.h"
#include "engine/tensor/dtype.h"

// Functions of one float argument.
#define FUS_SCALAR_UNARY(X) \
  X(abs)                    \
  X(floor)                  \
  X(ceil)                   \
  X(trunc)                  \
  X(rint)                   \
  X(sqrt)                   \
  X(exp)                    \
  X(expm1)                  \
  X(log)                    \
  X(log1p)                  \
  X(log2)                   \
  X(log10)                  \
  X(sin)                    \
  X(cos)                    \
  X(tan)                    \
  X(asin)                   \
  X(acos)                   \
  X(atan)                   \
  X(sinh)                   \
  X(cosh)                   \
  X(tanh)                   \
  X(erf)                    \
  X(erfc)                   \
  X(lgamma)

// Functions of two float arguments.
#define FUS_SCALAR_BINARY(X) \
  X(pow)                     \
  X(atan2)                   \
  X(fmod)

// Functions of two integer arguments (abs, and pow as wrapping integer power, exist for integers
// too).
#define FUS_SCALAR_INT(X) \
  X(floor_div)            \
  X(floor_mod)            \
  X(trunc_div)            \
  X(trunc_mod)            \
  X(bit_and)              \
  X(bit_or)               \
  X(bit_xor)              \
  X(shl)                  \
  X(shr)
