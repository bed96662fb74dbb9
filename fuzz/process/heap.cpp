// Lists of dead blocks by size, of each thread; see heap.h.
//
// Every block comes from malloc, rounded up to the most that its class holds: it may go to the list
// of its class on any thread, and to `free` at any time. A list has an end; those of threads that
// did not ask have no room from the start.
#include "fuzz/process/heap.h"

#include <malloc.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "engine/base/lack.h"
#include "engine/base/sanitized.h"

#if FUS_SANITIZED || defined(FUSILLADE_LIBFUZZER)  // whose runtime brings allocation along

namespace fusillade::fuzz {

void keep_small_blocks() {}

}  // namespace fusillade::fuzz

#else

namespace {

constexpr size_t kStep = 16;
constexpr size_t kHead = 8;  // what glibc puts before a block: a class fills its chunks
constexpr size_t kClasses = 65;
constexpr size_t kMostBytes = size_t{1} << 19;  // of dead blocks in one list

struct Dead {
  Dead* next;
};

struct List {
  Dead* first;
  uint32_t room;  // for so many more
};

struct Lists {
  std::array<List, kClasses> of_class;
};

constinit thread_local Lists kept{};

constexpr size_t class_of(size_t bytes) {
  const size_t c = (bytes + kHead + kStep - 1) / kStep;
  return c < 2 ? 2 : c;
}

constexpr size_t bytes_of(size_t c) { return c * kStep - kHead; }

void* from_system(size_t bytes) {
  if (void* block = std::malloc(bytes)) return block;
  fusillade::note_no_memory(bytes);
  throw std::bad_alloc();
}

inline void* take(size_t bytes) {
  const size_t c = class_of(bytes);
  if (c >= kClasses) return from_system(bytes);
  List& list = kept.of_class[c];
  if (Dead* dead = list.first) {
    list.first = dead->next;
    ++list.room;
    return dead;
  }
  return from_system(bytes_of(c));
}

inline void give(void* block, size_t c) {
  if (c < kClasses) {
    List& list = kept.of_class[c];
    if (list.room) {
      --list.room;
      auto* dead = static_cast<Dead*>(block);
      dead->next = list.first;
      list.first = dead;
      return;
    }
  }
  std::free(block);
}

}  // namespace

namespace fusillade::fuzz {
void keep_small_blocks() {
  // What malloc itself was given back it keeps, too, lest each large tensor is a new mapping.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
  mallopt(M_TOP_PAD, 4 << 20);
  for (size_t c = class_of(1); c < kClasses; ++c)
    kept.of_class[c].room = static_cast<uint32_t>(kMostBytes / bytes_of(c));
}
}  // namespace fusillade::fuzz

void* operator new(size_t bytes) { return take(bytes); }
void operator delete(void* block) noexcept {
  if (block) give(block, (malloc_usable_size(block) + kHead) / kStep);
}
void operator delete(void* block, size_t bytes) noexcept {
  if (block) give(block, class_of(bytes));
}

#endif
