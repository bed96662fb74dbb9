// What a kernel does, in counts: bytes that its loads and stores move, operations, those of floats.
//
// Each statement counts as often as the loops around it say, each part of an expression once where
// it occurs several times. A load or store counts whenever it runs, whatever caches do, if all see
// its memory. Floating-point operations are those of values: arithmetic and functions (a sine is
// one), no conversions, comparisons and choices.
#pragma once

#include "engine/kernel/kernel.h"

namespace fusillade::kernel {

struct Work {
  int64_t bytes = 0;
  int64_t operations = 0;  // of any kind, of indices too
  int64_t flops = 0;
};

// `scalars`: the kernel's arguments, which give its dynamic extents; null: those count once. A
// branch counts as if it were taken.
Work work_of(const Kernel& kernel, const uint64_t* scalars);

// Of one element of what this computes.
int64_t flops_of(const Expr& value);

}  // namespace fusillade::kernel
