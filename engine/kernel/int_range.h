// How far the integers of a kernel reach: interval arithmetic on expressions of model I64.
//
// A range holds at every launch and in every iteration, whether or not a condition around a
// statement lets it run. A loop's variable has it from the extent, an element from its dtype, an
// expression from its operands, a dynamic extent from what the kernel states. Accumulators and
// integers computed from floats have none. Text in CUDA C computes in 32 bits what fits there,
// check() finds indices outside their buffers, and the interpreter checks that each value is in its
// range.
#pragma once

#include <optional>
#include <unordered_map>

#include "engine/kernel/kernel.h"

namespace fusillade::kernel {

// Both ends included.
struct Range {
  int64_t lo = 0, hi = 0;
  bool operator==(const Range&) const = default;
  bool within(int64_t least, int64_t most) const { return lo >= least && hi <= most; }
  bool fits(int bits) const;  // as a signed integer of so many bits
};

// Of an operation on integers in these ranges; nothing where it is not known, may wrap, or ends
// beyond 2^40. `b` is not looked at where the operation takes one operand.
std::optional<Range> range_of(ExprOp op, const Range& a, const Range& b);
std::optional<Range> range_of(DType dtype);  // of what it holds; floats: nothing

// What the interpreter says of a value outside its range: the value or the range is wrong.
inline constexpr const char* kNotForetold = "was foretold to lie in";

// Follows statements in the order of the text; a variable is known from define() to forget().
class IntRanges {
 public:
  explicit IntRanges(const Kernel& kernel);  // which lives as long
  void define(const Stmt& s);                // what names a variable, before what reads it
  void forget(const Stmt& s);
  std::optional<Range> of(const ExprNode* e);
  std::optional<Range> of_variable(int var) const;

 private:
  std::optional<Range> compute(const ExprNode* e);

  const Kernel& kernel_;
  std::unordered_map<int, Range> variables_;
  std::unordered_map<const ExprNode*, std::optional<Range>> known_;  // while no variable changes
};

}  // namespace fusillade::kernel
