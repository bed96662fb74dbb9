// See memory_pool.h.
#include "engine/tensor/memory_pool.h"

#include <sys/mman.h>

#include <cstdlib>
#include <mutex>

#include "engine/base/lack.h"

namespace fusillade {
namespace {

constexpr size_t kLarge = 1 << 16;
constexpr size_t kAlignment = 64;

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FUS_KEEP_NOTHING 1
#endif
#endif
#if defined(FUS_KEEP_NOTHING) || defined(__SANITIZE_ADDRESS__)
constexpr bool kKeep = false;
#else
constexpr bool kKeep = true;
#endif

constexpr size_t kSmallBytes = size_t{4} << 20;

// A thread's small blocks, by their size in units of the alignment.
struct SmallBlocks {
  struct Block {
    Block* next;
  };
  Block* of_size[kLarge / kAlignment] = {};
  size_t bytes = 0;
  bool closed = false;
};
constinit thread_local SmallBlocks small{};

void give_back_small() {
  for (SmallBlocks::Block*& first : small.of_size)
    while (first) std::free(std::exchange(first, first->next));
  small.bytes = 0;
}

// Gives them to the system when the thread ends; what is freed after that goes there at once.
struct ClosingSmall {
  void touch() {}
  ~ClosingSmall() {
    small.closed = true;
    give_back_small();
  }
};

uint8_t* take_small(size_t bytes) {
  SmallBlocks::Block*& first = small.of_size[bytes / kAlignment];
  if (!first) return nullptr;
  small.bytes -= bytes;
  return reinterpret_cast<uint8_t*>(std::exchange(first, first->next));
}

// Where there are as many as may be, all are given back: those in use are soon kept again, those of
// sizes that nothing asks for any more are not.
bool keep_small(uint8_t* block, size_t bytes) {
  thread_local ClosingSmall at_exit;
  at_exit.touch();
  if (small.closed) return false;
  if (small.bytes + bytes > kSmallBytes) give_back_small();
  small.bytes += bytes;
  SmallBlocks::Block*& first = small.of_size[bytes / kAlignment];
  first = ::new (block) SmallBlocks::Block{first};
  return true;
}

struct Kept {
  uint8_t* block;
  size_t bytes;
};

struct Pool {
  std::mutex mutex;
  std::vector<Kept> kept;  // oldest first
  size_t bytes = 0;
  size_t most = size_t{256} << 20;

  void drop_oldest() {
    size_t gone = 0;
    for (; bytes > most; ++gone) {
      bytes -= kept[gone].bytes;
      std::free(kept[gone].block);
    }
    kept.erase(kept.begin(), kept.begin() + static_cast<ptrdiff_t>(gone));
  }
};

Pool& pool() {
  static auto* instance = new Pool;  // outlives every storage
  return *instance;
}

// From kHuge on in pages of 2 MiB where the system has them: an op over large tensors reads and
// writes more pages of 4 KiB than the processor's TLB has entries for.
uint8_t* ask_system(size_t bytes) {
  constexpr size_t kPage = size_t{2} << 20;
  constexpr size_t kHuge = 2 * kPage;
  const bool huge = kKeep && bytes >= kHuge;
  void* block = std::aligned_alloc(huge ? kPage : kAlignment, bytes);
  if (!block) note_no_memory(bytes);
  else if (huge) madvise(block, bytes, MADV_HUGEPAGE);  // advice: where there are none, it says so
  return static_cast<uint8_t*>(block);
}

}  // namespace

uint8_t* take_memory(size_t bytes) {
  if (kKeep && bytes < kLarge)
    if (uint8_t* block = take_small(bytes)) return block;
  if (kKeep && bytes >= kLarge) {
    Pool& p = pool();
    std::lock_guard lock(p.mutex);
    for (auto it = p.kept.rbegin(); it != p.kept.rend(); ++it) {
      if (it->bytes != bytes) continue;
      uint8_t* block = it->block;
      p.kept.erase(std::next(it).base());
      p.bytes -= bytes;
      return block;
    }
  }
  return ask_system(bytes);
}

void return_memory(uint8_t* block, size_t bytes) {
  if (kKeep && bytes < kLarge && keep_small(block, bytes)) return;
  if (!kKeep || bytes < kLarge) return std::free(block);
  Pool& p = pool();
  std::lock_guard lock(p.mutex);
  if (bytes > p.most) return std::free(block);
  p.kept.push_back({block, bytes});
  p.bytes += bytes;
  p.drop_oldest();
}

void keep_large(size_t most_bytes) {
  Pool& p = pool();
  std::lock_guard lock(p.mutex);
  p.most = most_bytes;
  p.drop_oldest();
}

}  // namespace fusillade
