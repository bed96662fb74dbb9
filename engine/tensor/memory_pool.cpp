// See memory_pool.h.
#include "engine/tensor/memory_pool.h"

#include <cstdlib>
#include <deque>
#include <mutex>

namespace fusillade {
namespace {

constexpr size_t kLarge = 1 << 16;
constexpr size_t kKeptBytes = size_t{256} << 20;
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

struct Kept {
  uint8_t* block;
  size_t bytes;
};

struct Pool {
  std::mutex mutex;
  std::deque<Kept> kept;  // oldest first
  size_t bytes = 0;
};

Pool& pool() {
  static auto* instance = new Pool;  // outlives every storage
  return *instance;
}

}  // namespace

uint8_t* take_memory(size_t bytes) {
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
  return static_cast<uint8_t*>(std::aligned_alloc(kAlignment, bytes));
}

void return_memory(uint8_t* block, size_t bytes) {
  if (!kKeep || bytes < kLarge || bytes > kKeptBytes) return std::free(block);
  Pool& p = pool();
  std::lock_guard lock(p.mutex);
  p.kept.push_back({block, bytes});
  p.bytes += bytes;
  while (p.bytes > kKeptBytes) {
    p.bytes -= p.kept.front().bytes;
    std::free(p.kept.front().block);
    p.kept.pop_front();
  }
}

}  // namespace fusillade
