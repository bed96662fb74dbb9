// Merges two loops of stages, one directly inside the other, where all that they touch is laid out
// in memory as if they were one: an image's rows and columns become its pixels.
#pragma once

#include <vector>

#include "engine/fuse/nest.h"

namespace fusillade::fuse {

// Of the kernel, its buffers change: two dimensions become one.
void merge_loops(std::vector<Stage>& stages, kernel::Kernel& kernel);

}  // namespace fusillade::fuse
