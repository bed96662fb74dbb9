// A segment, scheduled, as the statements of one grid.
#pragma once

#include <functional>

#include "engine/fuse/tile_schedule.h"

namespace fusillade::fuse {

// `read_later` returns whether a buffer is read after this grid. Such buffers, and results, must be
// written to memory that all threads see. Throws Unsupported.
kernel::Stmt build_tile_grid(const Segment& segment, const TileSchedule& schedule,
                             const std::function<bool(int)>& read_later, DynamicNumbers& numbers,
                             kernel::Kernel& kernel);

}  // namespace fusillade::fuse
