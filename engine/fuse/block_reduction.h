// What threads that share a row know of it, made what all of it is: accumulators of each combined,
// the same in all of them.
#pragma once

#include "engine/fuse/nest.h"
#include "engine/fuse/tile_schedule.h"

namespace fusillade::fuse {

// Accumulators of stages that reduce, after each thread's own columns are in them.
void append_exchange(const std::vector<const Stage*>& stages, const TileSchedule& schedule,
                     kernel::Kernel& kernel, kernel::Body& out);

}  // namespace fusillade::fuse
