// Cells converted between dtypes: what a legal conversion may give.
#pragma once

#include "fuzz/run/shadow.h"

namespace fusillade::fuzz {

Bounded to_real(const IntRange& r, DType to);
// A result of the compute type stored to `to`, which computes in that type.
Bounded to_real(const Bounded& b, DType to);
// An element of a tensor of another dtype brought to `to`.
Bounded converted(const Bounded& b, DType to);
IntRange to_whole(const IntRange& r, DType to);
IntRange to_whole(const Bounded& b, DType to);
// For arithmetic on uncertain integers; all() beyond the integers a double holds.
Bounded as_bounded(const IntRange& r);

// Copies one cell, converting; `from_real` and the like follow from the dtypes of the storages.
void convert_cell(const Cells& from, int64_t i, Cells& to, int64_t k);

// f(offset) for every element in row-major order; offsets in elements from the storage's start.
template <class F>
void for_each_element(const Dims& sizes, const Dims& strides, int64_t offset, F f) {
  int rank = sizes.rank();
  for (int64_t s : sizes) {
    if (s == 0) return;
  }
  int64_t index[kMaxRank] = {};
  for (;;) {
    f(offset);
    int d = rank - 1;
    for (; d >= 0; --d) {
      offset += strides[d];
      if (++index[d] < sizes[d]) break;
      offset -= strides[d] * sizes[d];
      index[d] = 0;
    }
    if (d < 0) return;
  }
}

}  // namespace fusillade::fuzz
