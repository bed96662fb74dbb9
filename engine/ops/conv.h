// What a convolution was given, checked: conv.cpp makes rows of views and products of it, and
// conv_native.cpp runs it.
#pragma once

#include "engine/ops/window.h"

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

}  // namespace fusillade
