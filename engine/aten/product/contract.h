// A matrix product as its types describe it, for code that computes it otherwise than its operator
// does.
#pragma once

#include <span>

#include "engine/ops/operator.h"

namespace fusillade {

// result[batch.., i, j] = beta * bias + alpha * sum over l of left[.., i, l] * right[.., l, j]; a
// vector lacks i or j, and so does the result; batches broadcast.
struct MatrixProduct {
  int left = 0, right = 1;
  int bias = -1;  // arguments; -1: none, or one that is not read, for beta is 0
  bool left_vector = false, right_vector = false;
  bool right_turned = false;  // it lies as [.., j, l]
  int64_t k = 0;
  Dims sizes;  // of the result
  double alpha = 1, beta = 1;
  DType dtype = DType::F32;
};

bool is_matrix_product(const Operator& op);
// Throws what the operator throws, and Unsupported where a type or a factor is not known.
MatrixProduct matrix_product(const Operator& op, std::span<const ArgInfo> args);

}  // namespace fusillade
