// Findings of runs that read the sign of a NaN, which is nobody's promise where the NaN was
// computed.
//
// The program runs again on eager with other signs for the NaNs whose sign it reads: all positive,
// all negative, and drawn one by one, some times. What never changes hangs on no sign: only where
// something else differs does the finding stand. Where the runs end otherwise, or give another
// number of things, all that the program gives may hang on signs. So what is distinguished is told
// by trying: of what hangs on a sign in one combination of many, it may be missed.
#pragma once

#include "fuzz/run/outcome.h"

namespace fusillade::fuzz {

// `step` is what a comparison bit for bit said of the call; for claims about what is not the same
// code, or text that says "nan" of either sign. A finding that hangs on signs alone becomes ok, or
// untrusted where nothing else was compared. Where `expected` has no inputs, outputs alone count.
void unless_nan_signs_decide(const Graph& program, const Call& call, const Outcome& expected,
                             const Outcome& observed, Verdict& step);

}  // namespace fusillade::fuzz
