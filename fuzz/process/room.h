// Is there as much address space as the limits on memory promise?
#pragma once

#include "fuzz/process/spawn.h"

namespace fusillade::fuzz {

// Throws Error where a limit of this process (ulimit -v, ulimit -d) is less than limits.megabytes
// and what a process has already: a program would meet that limit first, and seem to be at fault.
void require_room(const Limits& limits);

}  // namespace fusillade::fuzz
