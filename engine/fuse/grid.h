// From stages to grids of blocks and threads: one thread per element, or a few.
#pragma once

#include <vector>

#include "engine/fuse/dynamic_numbers.h"
#include "engine/fuse/nest.h"

namespace fusillade::fuse {

// How n elements are distributed. The threads of all blocks advance together: thread t of block b
// takes elements b * threads + t, then steps by blocks * threads. Where n is dynamic, the threads
// of each block do: they take elements b * threads * iterations + t, then step by threads.
struct GridSchedule {
  int64_t blocks;      // an extent where n is dynamic
  int64_t threads;     // of a block
  int64_t iterations;  // of each thread, the last of which may be past the end
};
GridSchedule schedule_of(int64_t elements);
// Where their number is dynamic, for as few or as many as were seen; a launch counts the blocks.
GridSchedule schedule_of(int64_t elements, DynamicNumbers& numbers);

// Returns how each grid is laid out. Throws Unsupported for stages that reduce.
std::vector<Schedule> build_grid(const std::vector<Stage>& stages, DynamicNumbers& numbers,
                                 kernel::Kernel& kernel);

}  // namespace fusillade::fuse
