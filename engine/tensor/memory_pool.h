// Memory behind storages. Blocks are kept when freed and handed out again for the same size: large
// ones because giving them back to the system and faulting their pages in anew would cost more than
// filling them, small ones because asking the system costs more than a small op.
//
// Of large blocks at most 256 MiB, or what `keep_large` says, are kept by the process, the oldest
// go first; of small ones at most 4 MiB by each thread. Blocks are aligned to 64 bytes; those of 4
// MiB ask for huge pages. Under AddressSanitizer nothing is kept, so that use after free shows.
// Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

namespace fusillade {

// `bytes` is a multiple of 64. nullptr when the system has none.
uint8_t* take_memory(size_t bytes);
void return_memory(uint8_t* block, size_t bytes);
// Who runs program after program meets so many sizes that most of what is kept is never asked for.
void keep_large(size_t most_bytes);

// An allocator over it, whose new elements hold anything.
template <class T>
struct ScratchMemory {
  using value_type = T;
  ScratchMemory() = default;
  template <class U>
  ScratchMemory(const ScratchMemory<U>&) {}
  static size_t bytes_of(size_t n) { return (n * sizeof(T) + 63) / 64 * 64; }
  T* allocate(size_t n) {
    if (n > SIZE_MAX / sizeof(T) - 64) throw std::bad_alloc();
    uint8_t* block = take_memory(bytes_of(n));
    if (!block) throw std::bad_alloc();
    return reinterpret_cast<T*>(block);
  }
  void deallocate(T* block, size_t n) {
    return_memory(reinterpret_cast<uint8_t*>(block), bytes_of(n));
  }
  template <class U>
  void construct(U* at) {
    ::new (static_cast<void*>(at)) U;
  }
  template <class U, class... Args>
  void construct(U* at, Args&&... args) {
    ::new (static_cast<void*>(at)) U(std::forward<Args>(args)...);
  }
  friend bool operator==(const ScratchMemory&, const ScratchMemory&) { return true; }
};

// What an operator computes on its way to results: a large one costs no pages anew at each call.
template <class T>
using Scratch = std::vector<T, ScratchMemory<T>>;

}  // namespace fusillade
