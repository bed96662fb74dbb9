// What the operators that look for the greatest or least element of a line, or add up along one, do
// with their arguments.
#pragma once

#include <span>

#include "engine/ops/operator.h"

namespace fusillade {

// argmax, argmin, max.dim, min.dim: the index of the first element that is `extreme`'s, or NaN
// where that is; max.dim and min.dim give the element, then the index.
struct Extreme {
  const Operator* extreme = nullptr;  // over dims, keepdim: the greatest or the least
  const Operator* least = nullptr;    // the same operator for the least
  Dims axes;
  bool keepdim = false;
  bool of_all = false;  // the index counts through all elements
};
bool finds_extreme(const Operator& op);
// Throws Error where arguments are illegal, Unsupported where they are not known.
Extreme plan_extreme(const Operator& op, std::span<const ArgInfo> args);

// cumsum, cumprod: each element is the one before it combined with its own.
struct Scan {
  int dim = 0;
  DType dtype = DType::F32;
  DType accumulate = DType::F64;    // what is combined, rounded to dtype only where it is stored
  const Operator* whole = nullptr;  // the reduction of a line by the same formula
  double start = 0;                 // what leaves the first element as it is, -0 too
};
bool is_scan(const Operator& op);
DrawFn draw_of_scans();
Scan plan_scan(const Operator& op, std::span<const ArgInfo> args);  // throws as plan_extreme does

}  // namespace fusillade
