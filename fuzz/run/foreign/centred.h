// What an external engine compiled, against what it computes op by op.
//
// Two legal results of one element differ by no more than the width of the shadow's bound. Where
// the engine's own eager result lies outside the bound, its formula is another one (elu by expm1,
// say). Close to the bound, that distance is allowed for, once for each of the two. Far from it,
// ours is not what the engine computes. Then a compiled result inside our bound is wrong if
// rounding does not lead there from the eager one; a difference between the two that is small next
// to the tensor's greatest element may still be cancellation in the engine's formula. Else nothing
// is known, which the verdict says (kEagerDiffers). What rounding never does is wrong in any case:
// NaN for a number, or an infinity of the other sign.
#pragma once

#include "fuzz/run/outcome.h"
#include "fuzz/run/shadow.h"

namespace fusillade::fuzz {

// The reason of a verdict that is no finding.
inline constexpr const char* kEagerDiffers = "its eager mode differs from ours";

// Of a tensor's finite elements, by magnitude; 0 where there is none.
double greatest_of(const Tensor& t);

// How far from the engine's eager result a legal one may lie, in a tensor whose eager elements
// reach `greatest`: infinite where nothing is known, or where numbers and NaN are both legal.
double allowance(const Bounded& set, double eager, double greatest);

class Centred {
 public:
  // `shadow` has run the program; null where it could not follow it, and only equality is known.
  explicit Centred(Shadow* shadow) : shadow_(shadow) {}
  // Is `observed` legal where the same engine's eager mode gave `eager` and ours `ours` (null: not
  // known)? Fills in the mismatch; counts elements.
  bool admits(const IValue* ours, const IValue& eager, const IValue& observed,
              const std::string& what, Verdict& verdict);
  bool admits_all(const std::vector<IValue>& ours, const std::vector<IValue>& eager,
                  const std::vector<IValue>& observed, const char* what, Verdict& verdict);

 private:
  bool admits_tensor(const Cells* cells, const Tensor* ours, const Tensor& eager,
                     const Tensor& observed, const std::string& what, Verdict& verdict);
  Shadow* shadow_;
};

}  // namespace fusillade::fuzz
