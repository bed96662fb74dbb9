// Kernels of grids for back ends whose threads cannot meet.
#pragma once

#include "engine/fuse/fuser.h"

namespace fusillade::fuse {

// The same with one thread in each block of a grid that has barriers, shuffles, or memory of a
// block or a thread. Other grids, and what is no grid, come back as they are.
Lowered work_item_loops(Lowered lowered);

// Is there such a grid, and does the back end not take the kernel, or is it asked for of all?
bool wants_work_item_loops(const kernel::Kernel& kernel, const kernel::Backend& backend);

}  // namespace fusillade::fuse
