// Findings of runs that read the sign of a NaN, which is nobody's promise where the NaN was
// computed.
//
// The program runs again on eager with other signs for the NaNs whose sign it reads: all positive,
// all negative, and drawn one by one, some times. What never changes depends on no sign: the
// finding remains only where something of that differs. Where the runs end otherwise, or give
// another number of things, all that the program gives may depend on signs. Dependence is thus
// found by trying: one that shows in a single combination of many may be missed.
#pragma once

#include "fuzz/run/outcome.h"

namespace fusillade::fuzz {

// `step` is what a comparison bit for bit said of the call; for claims about what is not the same
// code, or text that says "nan" of either sign. A finding that hangs on signs alone becomes ok, or
// untrusted where nothing else was compared. Where `expected` has no inputs, outputs alone count.
void unless_nan_signs_decide(const Graph& program, const Call& call, const Outcome& expected,
                             const Outcome& observed, Verdict& step);

}  // namespace fusillade::fuzz
