// Memory behind storages. Large blocks are kept when freed and handed out again for the same size:
// giving them back to the system and faulting their pages in anew would cost more than filling
// them.
//
// At most kKeptBytes are kept, the oldest go first. Blocks are aligned to 64 bytes. Under
// AddressSanitizer nothing is kept, so that use after free shows. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fusillade {

// `bytes` is a multiple of 64. nullptr when the system has none.
uint8_t* take_memory(size_t bytes);
void return_memory(uint8_t* block, size_t bytes);

}  // namespace fusillade
