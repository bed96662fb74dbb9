// How much memory there is, and whether the limits on this process leave what ours promise.
#pragma once

#include "fuzz/process/spawn.h"

namespace fusillade::fuzz {

// Throws Error where a limit of this process (ulimit -v, ulimit -d) is less than limits.megabytes
// and what a process has already: a program would meet that limit first, and seem to be at fault.
// Where there is such a limit, malloc makes no more arenas than threads run at once.
void require_room(const Limits& limits);

// Of this machine, or of the container that this process runs in. 0: not known.
size_t machine_megabytes();
// What one program may take where nobody said: the rest is for what else runs here.
inline size_t usual_megabytes() { return machine_megabytes() / 4 * 3; }

}  // namespace fusillade::fuzz
