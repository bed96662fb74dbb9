// Random loop nests of Kernel IR, for what transforms kernels. Temporaries are written,
// overwritten, carried from iteration to iteration, and read at other indices than they were
// written at: programs seldom do that.
#pragma once

#include "engine/kernel/kernel.h"
#include "fuzz/gen/generate.h"

namespace fusillade::fuzz {

// Of at most a few thousand elements, all loops serial, every extent a number. The domain is drawn.
// Passes check(); an element may be read before it is written, which a checking back end reports.
kernel::Kernel generate_nest(Choices& choices);

}  // namespace fusillade::fuzz
