// Walking several strided operands together: dimensions are merged where all operands allow it, and
// the caller gets runs along the innermost one.
#pragma once

#include "engine/tensor/shape.h"

namespace fusillade {

inline constexpr int kMaxOperands = 8;

class StridedLoop {
 public:
  // Every operand's strides have the rank of `sizes` (0 where it broadcasts).
  StridedLoop(const Dims& sizes, const Dims* strides, int operands);

  // f(offsets, n, strides): one run of n elements; offsets and strides per operand, in elements.
  template <class F>
  void run(F f) const {
    if (empty_) return;
    int64_t offsets[kMaxOperands] = {};
    int64_t index[kMaxRank] = {};
    int outer = sizes_.rank() - 1;
    for (;;) {
      f(static_cast<const int64_t*>(offsets), sizes_[outer], static_cast<const int64_t*>(inner_));
      int d = outer - 1;
      for (; d >= 0; --d) {
        for (int k = 0; k < operands_; ++k) offsets[k] += strides_[k][d];
        if (++index[d] < sizes_[d]) break;
        for (int k = 0; k < operands_; ++k) offsets[k] -= strides_[k][d] * sizes_[d];
        index[d] = 0;
      }
      if (d < 0) return;
    }
  }

 private:
  int operands_;
  bool empty_ = false;
  Dims sizes_;  // merged; rank >= 1
  Dims strides_[kMaxOperands];
  int64_t inner_[kMaxOperands] = {};
};

// `strides` of a tensor of `sizes` seen as broadcast to `full`.
Dims broadcast_strides(const Dims& sizes, const Dims& strides, const Dims& full);

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

}  // namespace fusillade
