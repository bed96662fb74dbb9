// What a pooling was given, checked: rows.cpp makes operators of views and reductions of it, and
// native.cpp runs means.
#pragma once

#include "engine/aten/pool/window.h"

namespace fusillade {

struct Pooling {
  std::string op;
  Windows windows;
  Dims padding;
  Dims lengths;  // of the pooled dimensions
  Dims counts;   // windows along each
  // What is really padded: with ceil_mode more, or (for windows that fit worse) less.
  Dims before, after;
};

// op, dims, self, kernel, stride, padding, dilation, ceil_mode. Throws Error where they do not fit
// each other.
Pooling pooling_of(std::span<const IValue> values);

}  // namespace fusillade
