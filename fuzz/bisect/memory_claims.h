// Are the facts about memory that passes rely on true? The analysis `effects` says which values may
// share memory, what is written, what the caller can see, and which value may replace another. A
// pass that relies on a wrong answer is not at fault.
//
// The graph is run on a call, and each claim is checked against the run: memory that was shared or
// written, and, for each two equal values of which one may replace the other, the outputs when it
// does. The failing claim is returned in a few words; "" when all hold, or none could be checked.
#pragma once

#include <string>

#include "fuzz/case/case.h"

namespace fusillade::fuzz {

std::string broken_memory_claim(const Graph& graph, const Call& call);

}  // namespace fusillade::fuzz
