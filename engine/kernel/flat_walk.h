// Grids whose threads count the elements of a tensor, as loops over its axes.
#pragma once

#include "engine/kernel/kernel.h"

namespace fusillade::kernel {

// The same bits. A kernel without such grids comes back as it is; another has a pool of its own.
Kernel along_axes(const Kernel& kernel);

}  // namespace fusillade::kernel
