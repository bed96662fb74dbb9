// Convolutions of several filters a group by sums of filters (engine/tensor/filter.h), for images
// of one or two dimensions.
#pragma once

#include "engine/aten/conv/shape.h"

namespace fusillade {

// All of the result: [images, groups * filters, out...] of contiguous operands; `bias` null: zeros.
// False where another way is measured to be faster, or this machine has no such sums.
template <class T>
bool convolve_in_strips(const ConvolutionShape& s, const T* in, const T* weight, const T* bias,
                        T* out);

}  // namespace fusillade
