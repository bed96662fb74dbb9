// Is what passes are told of memory true? The analysis `effects` says which values may share
// memory, what is written, what the caller can see, and which value may stand for another. A pass
// that believes a wrong answer is not at fault.
//
// The graph is run on a call, and each claim held against what happened: memory that was shared or
// written, and, for each two equal values of which one may stand for the other, what comes out when
// it does. The claim that fails is told in a few words; "" when all hold, or none could be looked
// at.
#pragma once

#include <string>

#include "fuzz/case/case.h"

namespace fusillade::fuzz {

std::string broken_memory_claim(const Graph& graph, const Call& call);

}  // namespace fusillade::fuzz
