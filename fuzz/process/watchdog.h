// Limits of time and memory on this process itself, for verbs that run one program once.
#pragma once

#include "fuzz/process/spawn.h"

namespace fusillade::fuzz {

// From now on this process ends itself with kTimeout after limits.seconds of the clock (0: never),
// or with kMemory when its resident set is beyond limits.megabytes (0: never), with a line on
// stderr that says so. A loop of the program that is too long ends the process by itself, and the
// line names it; otherwise a timer's signal does, so that nothing else has to look: children do not
// inherit it. Once per process.
void limit_this_process(const Limits& limits);

}  // namespace fusillade::fuzz
