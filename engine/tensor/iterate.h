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
    run(0, outermost(), f);
  }

  // The same for the part from `begin` to `end` of the outermost dimension, of outermost()
  // elements: the run itself where all dimensions are merged.
  int64_t outermost() const { return empty_ ? 0 : sizes_[0]; }
  // Whether the elements of the first operand, which is written, surely have distinct addresses, so
  // that parts may run in parallel.
  bool is_disjoint() const;
  template <class F>
  void run(int64_t begin, int64_t end, F f) const {
    if (begin >= end) return;
    int64_t offsets[kMaxOperands] = {};
    for (int k = 0; k < operands_; ++k) offsets[k] = strides_[k][0] * begin;
    int64_t index[kMaxRank] = {begin};
    int outer = sizes_.rank() - 1;
    if (outer == 0)
      return f(static_cast<const int64_t*>(offsets), end - begin,
               static_cast<const int64_t*>(inner_));
    for (;;) {
      f(static_cast<const int64_t*>(offsets), sizes_[outer], static_cast<const int64_t*>(inner_));
      int d = outer - 1;
      for (; d >= 0; --d) {
        for (int k = 0; k < operands_; ++k) offsets[k] += strides_[k][d];
        if (++index[d] < (d == 0 ? end : sizes_[d])) break;
        if (d == 0) return;
        for (int k = 0; k < operands_; ++k) offsets[k] -= strides_[k][d] * sizes_[d];
        index[d] = 0;
      }
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

// f(offset) for the elements from `begin` to `end` in row-major order; offsets in elements from the
// storage's start.
template <class F>
void for_elements(const Dims& sizes, const Dims& strides, int64_t offset, int64_t begin,
                  int64_t end, F f) {
  int rank = sizes.rank();
  int64_t index[kMaxRank] = {};
  for (int64_t d = rank - 1, left = begin; left > 0 && d >= 0; left /= sizes[d], --d) {
    index[d] = left % sizes[d];
    offset += index[d] * strides[d];
  }
  for (int64_t left = end - begin; left > 0; --left) {
    f(offset);
    int d = rank - 1;
    for (; d >= 0; --d) {
      offset += strides[d];
      if (++index[d] < sizes[d]) break;
      offset -= strides[d] * sizes[d];
      index[d] = 0;
    }
  }
}

// For all of them.
template <class F>
void for_each_element(const Dims& sizes, const Dims& strides, int64_t offset, F f) {
  for_elements(sizes, strides, offset, 0, numel_of(sizes), f);
}

}  // namespace fusillade
