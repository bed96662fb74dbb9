// Does a case show a cause that is known already? Decided by the cheapest run that can: the case
// with the guilty pass or rule switched off, on another back end, on the engine without passes, or
// with the nodes of the guilty kind cut out. A cause whose message identifies it only needs the
// case to fail with it at the same part.
#pragma once

#include "fuzz/process/isolate.h"
#include "fuzz/triage/cause.h"

namespace fusillade::fuzz {

// `v` is the verdict of the case, just seen. False also when no run can decide.
bool matches_cause(const Case& c, const Verdict& v, const Cause& known, const Limits& limits);

}  // namespace fusillade::fuzz
