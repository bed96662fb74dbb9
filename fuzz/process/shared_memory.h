// Memory that the children of a process share with it.
#pragma once

#include <cstddef>

namespace fusillade::fuzz {

// Of that many bytes, all zero, until munmap. Throws Error, and notes the lack
// (engine/base/lack.h).
void* map_shared(size_t bytes);

}  // namespace fusillade::fuzz
