// What an engine outside compiled, against what it computes op by op.
//
// Two legal results of one element lie no further apart than the shadow's bound is wide. Where the
// engine's own eager result lies outside the bound, its formula is another one (elu by expm1, say):
// near the bound, that distance is allowed for, once for each of the two; far from it, nothing is
// known.
#pragma once

#include "fuzz/run/outcome.h"
#include "fuzz/run/shadow.h"

namespace fusillade::fuzz {

// How far from the engine's eager result a legal one may lie: infinite where nothing is known, or
// where numbers and NaN are both legal.
double allowance(const Bounded& set, double eager);

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
