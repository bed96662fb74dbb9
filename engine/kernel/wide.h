// Which accesses of a vector loop among the threads of a grid are one for all lanes: those whose
// lanes touch neighbours in memory, 2 to kWideBytes bytes of them in all, the first at a multiple
// of that many bytes wherever the buffer begins at a multiple of kWideBytes. All else is touched
// lane by lane.
//
//   vector v5 in 4: b1[v3 * 4 + v5] = load.f32 b0[v3 * 4 + v5] * load.f32 b2[v3]
//
// loads b0 and stores b1 by 16 bytes, and loads b2 four times.
#pragma once

#include <unordered_set>

#include "engine/kernel/kernel.h"

namespace fusillade::kernel {

struct WideAccesses {
  int64_t lanes = 0;
  std::unordered_set<const ExprNode*> loads = {};
  std::unordered_set<const Stmt*> stores = {};
};
WideAccesses wide_accesses(const Kernel& kernel, const Stmt& loop);

// Inputs that are read so stay `aligned`, the others need not be.
void keep_alignment_needed(Kernel& kernel);

}  // namespace fusillade::kernel
