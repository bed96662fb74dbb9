// What a convolution was given, checked: rows.cpp makes operators of views and products of it,
// native.cpp runs it, and fusers make loops of it.
#pragma once

#include "engine/aten/pool/window.h"

namespace fusillade {

struct Convolution {
  std::string op;
  int dims = 0;
  Windows windows;
  Dims before, after;  // padding
  int64_t groups = 1;
};

// op, dims (0: as many as the weight has), input, weight, bias, stride, padding, dilation, groups.
// Throws Error where they do not fit each other.
Convolution convolution_of(std::span<const IValue> values);

// An operator that computes one: input, weight, bias, stride, padding, dilation, groups; or all
// that the tracer records, which may say that it is transposed.
bool is_convolution(const Operator& op);
bool may_be_transposed(const Operator& op, std::span<const ArgInfo> args);
// Of such an operator, by types. Throws Error as it does, and Unsupported where something is not
// known.
Convolution convolution_of(const Operator& op, std::span<const ArgInfo> args);

}  // namespace fusillade
