// Blame of what a plan costs more than in another build (oracle `against`).
//
//   vm/o2:   inline 12 = 12   types 12 = 12   cse 9 > 7   peephole 8 > 6 ...
//
// The pipeline ends where every longer prefix costs more, too (cse), and passes before that are
// left out where it costs more without them. What is left, all of it is needed; to blame is the
// first pass of it behind which the two builds' graphs differ, else the last: one that makes work
// for a later pass may cost nothing by itself. Which count grew may differ from prefix to prefix.
// Of a pass it is the rule that the other build applied more often; of a fuser whose kernels are
// the same but for their machine code, the back end; without any pass, the engine.
#pragma once

#include "fuzz/bisect/bisect.h"

namespace fusillade::fuzz {

// `c` is a case of one plan. In one child.
Blame blame_growth(const Case& c, const Limits& limits);

}  // namespace fusillade::fuzz
