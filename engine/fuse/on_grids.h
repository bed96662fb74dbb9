// Kernels of loop nests for back ends that take grids alone.
#pragma once

#include "engine/fuse/fuser.h"

namespace fusillade::fuse {

// The same with each statement at the top of its kernel a grid, and lines about these. What is
// grids comes back as it is. Throws Unsupported with the reason.
Lowered on_grids(Lowered lowered);

// Does the back end not take the kernel as it is, or are grids asked for of all?
bool wants_grids(const kernel::Kernel& kernel, const kernel::Backend& backend);

}  // namespace fusillade::fuse
