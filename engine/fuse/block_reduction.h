// Combines the accumulators of the threads that share a row: afterwards each thread has the total.
#pragma once

#include "engine/fuse/nest.h"
#include "engine/fuse/tile_schedule.h"

namespace fusillade::fuse {

// Accumulators of stages that reduce, after each thread's own columns are in them.
void append_exchange(const std::vector<const Stage*>& stages, const TileSchedule& schedule,
                     kernel::Kernel& kernel, kernel::Body& out);

}  // namespace fusillade::fuse
