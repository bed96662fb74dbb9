// Sums that are still open: what is added to a product or a convolution, which others take into its
// sum in any order.
//
//   z = conv(x, w) + b;  z + t     a compiler starts the sum of products at t and adds b at the end
//
// A contraction's cell keeps the terms of its sum, and so does an addition to it: what it gives is
// legal as the steps say, and as one sum of all those terms (sum.h). Only engines whose contract
// has `adds_into_products` may do so. A cell that anything else has written is not open.
#pragma once

#include <utility>

#include "engine/ops/operator.h"
#include "fuzz/run/sum.h"

namespace fusillade::fuzz {

struct OpenSum {
  Sum terms;
  double lo, hi;  // of the cell, when it was kept
};

// While one lives, and it is on, this thread keeps sums open.
class OpenSums {
 public:
  explicit OpenSums(bool on) : saved_(std::exchange(on_, on)) {}
  ~OpenSums() { on_ = saved_; }
  static bool on() { return on_; }

 private:
  static inline thread_local bool on_ = false;
  bool saved_;
};

// Are sums of this dtype kept open now? Those of 16 bits are not: their products are others'.
bool keeps_open(DType dtype);
void keep_open(Cells& cells, size_t at, Sum terms);
// Null: there is none.
const OpenSum* open_sum(const Cells& cells, size_t at);
// Does a formula add its two operands?
bool adds_two(const Formula& formula, DType compute);
// What was added to one cell, legal in any order if one of the two operands is an open sum.
void join_sums(Cells& out, size_t at, const OpenSum* const open[2], const Bounded terms[2]);

}  // namespace fusillade::fuzz
