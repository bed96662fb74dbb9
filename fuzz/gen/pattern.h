// What the elements of one tensor have in common: a sign, a value, an order.
//
// Kernels that start a reduction at zero, skip zeros, or treat one sign specially are right on
// values of both signs. Values drawn independently have both as soon as there are a few.
#pragma once

#include "engine/tensor/tensor.h"
#include "fuzz/gen/generate.h"

namespace fusillade::fuzz {

enum class Pattern : uint8_t {
  Positive,
  Negative,  // of unsigned integers and bools: as Equal
  Zero,
  Equal,
  PowersOfTwo,  // of one sign, or both
  Subnormal,    // of integers: as PowersOfTwo
  Ascending,
  Extremes,  // the least and the greatest finite value by turns
  // Of given programs alone. Of integers those of the second column:
  Huge,         // near 1e30                   as Extremes
  Tiny,         // near 1e-30                  as PowersOfTwo
  NearOne,      // 1 or -1, or a little less   1, 0 or -1
  Whole,        // no fraction                 as they are
  NotFinite,    // some infinite, some NaN     -1, or the greatest
  NegativeZero  //                             0
};

// Changes all memory of the tensor's storage to such elements; those of Positive and Negative keep
// their size.
void apply_pattern(Choices& choices, Pattern pattern, const Tensor& t);

// None, mostly.
void draw_pattern(Choices& choices, const Tensor& t);

}  // namespace fusillade::fuzz
