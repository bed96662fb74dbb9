// Cells converted between dtypes: what a legal conversion may give.
#pragma once

#include <cmath>
#include <optional>
#include <utility>

#include "engine/tensor/iterate.h"
#include "fuzz/run/shadow.h"

namespace fusillade::fuzz {

// While one lives, this thread's cells hold what no compiler promises, beyond what ours may do:
// anything where a float has no integer of the type, INT_MIN / -1 or a shift by a count that is no
// bit's number were asked for, either sign where a NaN's was; float16 and bfloat16 that are not
// rounded between two ops; and, of composite ops, a formula of its own.
class NoPromises {
 public:
  // `half`: nor that an op on float16 or bfloat16 rounds once, at its end.
  explicit NoPromises(bool on, bool half = false)
      : saved_(std::exchange(on_, on)), saved_half_(std::exchange(half_, half)) {}
  ~NoPromises() { on_ = saved_, half_ = saved_half_; }
  static bool on() { return on_; }
  static bool half() { return half_; }

 private:
  static inline thread_local bool on_ = false;
  static inline thread_local bool half_ = false;
  bool saved_, saved_half_;
};

// The dtype to which the steps of an op that computes in `compute` may be rounded.
std::optional<DType> half_steps(DType compute);

// Is it known to be a number?
inline bool is_finite(const Bounded& b) {
  return !b.may_nan && !b.must_nan && std::isfinite(b.lo) && std::isfinite(b.hi);
}

// How the steps of what computes in a dtype may round: the relative error of one, the least number,
// the least normal and the largest one.
struct Steps {
  double unit, tiniest, smallest, largest;
};
Steps steps_of(DType compute);

Bounded to_real(const IntRange& r, DType to);
// A result of the compute type stored to `to`, which computes in that type.
Bounded to_real(const Bounded& b, DType to);
// An element of a tensor of another dtype brought to `to`.
Bounded convert_bounds(const Bounded& b, DType to);
IntRange to_whole(const IntRange& r, DType to);
IntRange to_whole(const Bounded& b, DType to);
// For arithmetic on uncertain integers; all() beyond the integers a double holds.
Bounded as_bounded(const IntRange& r);

// Copies one cell, converting it to the dtype of `to`.
void convert_cell(const Cells& from, int64_t i, Cells& to, int64_t k);

}  // namespace fusillade::fuzz
