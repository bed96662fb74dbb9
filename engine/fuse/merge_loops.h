// Two loops of stages, one right inside the other, as one, where all that they touch lies in memory
// as if it were one: an image's rows and columns become its places.
#pragma once

#include <vector>

#include "engine/fuse/nest.h"

namespace fusillade::fuse {

// Of the kernel, its buffers change: two dimensions become one.
void merge_loops(std::vector<Stage>& stages, kernel::Kernel& kernel);

}  // namespace fusillade::fuse
