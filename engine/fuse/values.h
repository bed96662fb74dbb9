// Expressions of elements: what models they live in, and how they become values of a dtype.
#pragma once

#include "engine/ops/ivalue.h"
#include "engine/scalar/expr.h"
#include "engine/tensor/tensor.h"

namespace fusillade::fuse {

// The model in which expressions of `dtype` values live.
inline Model value_model(DType dtype) {
  return dtype == DType::Bool ? Model::Bool : compute_of(dtype);
}

// The model in which a formula computes: bools count as integers.
inline Model formula_model(DType dtype) {
  return dtype == DType::Bool ? Model::I64 : compute_of(dtype);
}

// A value of `from` converted to dtype `to` in the model formulas of `to` use.
inline Expr convert_operand(Expr x, DType to) {
  if (to == DType::Bool) return convert(convert(x, Model::Bool), Model::I64);
  return round_to(convert(x, formula_model(to)), to);
}

// The result of a formula as a value of `dtype`.
inline Expr convert_result(Expr x, DType dtype) {
  x = convert(x, value_model(dtype));
  return dtype == DType::Bool ? x : round_to(x, dtype);
}

// A number that the program states, as an operand of that dtype.
Expr literal_as(const IValue& v, DType dtype);

}  // namespace fusillade::fuse
