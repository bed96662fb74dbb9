// Random loop nests of Kernel IR, for what changes kernels: temporaries made, written over, carried
// from turn to turn, and read at other places than they were made at, which programs seldom come
// to.
#pragma once

#include "engine/kernel/kernel.h"
#include "fuzz/gen/generate.h"

namespace fusillade::fuzz {

// Of at most a few thousand elements, all loops serial, every extent a number. The domain is drawn.
// Passes check(); an element may be read before it is written, which a checking back end tells.
kernel::Kernel generate_nest(Choices& choices);

}  // namespace fusillade::fuzz
