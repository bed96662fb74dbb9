// Does the differential oracle cry wolf? One program under the shadow, played by a legal-variant
// compiler.
#pragma once

#include "fuzz/oracle/oracle.h"

namespace fusillade::fuzz {

// Judges what a Variant (stray `ulps`, decisions from `seed`) makes of the case's calls against
// their shadows. A mismatch is a false alarm of the shadow.
Verdict judge_variant(const Case& c, uint64_t seed, int ulps);

}  // namespace fusillade::fuzz
