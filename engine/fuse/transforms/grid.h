// A grid in the place of loops one inside the other: what the transform does, and whoever knows
// more of dynamic extents.
#pragma once

#include "engine/fuse/transforms/facts.h"

namespace fusillade::fuse {

// How the iterations of loops are shared out. Numbers are as in kernel.h.
struct Shares {
  std::vector<const kernel::Stmt*>
      loops;           // outermost first, each alone right inside the one before
  int64_t iterations;  // of all of them
  int64_t blocks;      // iterations / threads, rounded up
  int64_t threads;
};
// The loops are the kernel's own. Where there are no iterations nothing comes in their place.
void share_out(kernel::Kernel& kernel, const Shares& shares);

// May the loop become a grid as far as the code around it goes? "": it may.
std::string why_not_at_top(const KernelFacts& facts, const LoopAt& at);

}  // namespace fusillade::fuse
