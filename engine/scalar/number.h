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
// Error in native code before the loop starts (the operator checks), and is undefined inside a
// kernel.
#pragma once

#include "engine/tensor/domain.h"
#include "engine/tensor/dtype.h"

// Functions of one float argument, and what an expression of each is called (expr.h). The bounds
// and derivative of each (Bounded, Dual) are in functions.cpp.
#define FUS_SCALAR_UNARY(X) \
  X(abs, Abs)               \
  X(floor, Floor)           \
  X(ceil, Ceil)             \
  X(trunc, Trunc)           \
  X(rint, Rint)             \
  X(sqrt, Sqrt)             \
  X(exp, Exp)               \
  X(exp2, Exp2)             \
  X(expm1, Expm1)           \
  X(log, Log)               \
  X(log1p, Log1p)           \
  X(log2, Log2)             \
  X(log10, Log10)           \
  X(sin, Sin)               \
  X(cos, Cos)               \
  X(tan, Tan)               \
  X(asin, Asin)             \
  X(acos, Acos)             \
  X(atan, Atan)             \
  X(sinh, Sinh)             \
  X(cosh, Cosh)             \
  X(tanh, Tanh)             \
  X(asinh, Asinh)           \
  X(erf, Erf)               \
  X(erfc, Erfc)             \
  X(erfcx, Erfcx)           \
  X(lgamma, Lgamma)

// Functions of two float arguments.
#define FUS_SCALAR_BINARY(X) \
  X(pow, Pow)                \
  X(atan2, Atan2)            \
  X(fmod, Fmod)

// Functions of two integer arguments (abs, and pow as wrapping integer power, exist for integers
// too).
#define FUS_SCALAR_INT(X) \
  X(floor_div, FloorDiv)  \
  X(floor_mod, FloorMod)  \
  X(trunc_div, TruncDiv)  \
  X(trunc_mod, TruncMod)  \
  X(bit_and, BitAnd)      \
  X(bit_or, BitOr)        \
  X(bit_xor, BitXor)      \
  X(shl, Shl)             \
  X(shr, Shr)
