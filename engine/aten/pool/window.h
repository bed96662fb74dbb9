// Sliding windows over the last dimensions of a tensor: their number, their arguments in ATen's
// forms, their geometry. Convolutions, pooling and unfolding read it.
#pragma once

#include <string>

#include "engine/ops/operator.h"

namespace fusillade {

struct Windows {
  Dims kernel, stride, dilation;  // one per window dimension
  int dims() const { return kernel.rank(); }
  // How many elements a window reaches over in dimension d.
  int64_t reach(int d) const { return dilation[d] * (kernel[d] - 1) + 1; }
  // How many windows fit into `length` elements; 0 or less when none does.
  int64_t count(int d, int64_t length) const;
};

// `given` holds one number or one per dimension; throws Error naming `op` and `what` otherwise.
Dims one_or_each(const std::string& op, const char* what, const Dims& given, int dims);
// Throws Error naming `op` unless every number is at least `least`.
void require_least(const std::string& op, const char* what, const Dims& given, int64_t least);

// Sizes and strides of all windows over the last dimensions: where each starts, and what it reads.
struct WindowGeometry {
  Dims starts, start_strides;
  Dims elements, element_strides;
};
WindowGeometry window_geometry(const Operator& op, const Windows& w, const Dims& sizes,
                               const Dims& strides);

}  // namespace fusillade
