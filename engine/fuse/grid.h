// From stages to grids of blocks and threads: one thread per element, or a few.
#pragma once

#include <vector>

#include "engine/fuse/nest.h"

namespace fusillade::fuse {

// How n elements are shared out. The threads of all blocks walk side by side: thread t of block b
// takes elements b * threads + t, and on by blocks * threads.
struct GridSchedule {
  int64_t blocks;
  int64_t threads;  // of a block
  int64_t turns;    // of each thread, the last of which may be past the end
};
GridSchedule schedule_of(int64_t elements);

// Returns how each grid is laid out. Throws Unsupported for stages that reduce.
std::vector<Schedule> build_grid(const std::vector<Stage>& stages, kernel::Kernel& kernel);

}  // namespace fusillade::fuse
