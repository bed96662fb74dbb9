// Memory that is allocated piece by piece and freed all at once: the memory of one graph.
//
// Chunks double from 4 KiB to 64 KiB. No destructor runs here: whoever builds objects here destroys
// them.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>

#include "engine/base/lack.h"

namespace fusillade {

class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() {
    while (chunk_) {
      Chunk* next = chunk_->next;
      std::free(chunk_);
      chunk_ = next;
    }
  }

  // `bytes` bytes aligned to kAlign.
  void* take(size_t bytes) {
    bytes = (bytes + kAlign - 1) & ~(kAlign - 1);
    if (bytes > left_) refill(bytes);
    void* out = at_;
    at_ += bytes;
    left_ -= bytes;
    return out;
  }

 private:
  static constexpr size_t kAlign = 16;
  static constexpr size_t kMost = size_t{64} << 10;
  struct alignas(kAlign) Chunk {
    Chunk* next;
  };

  void refill(size_t bytes) {
    size_t size = bytes + sizeof(Chunk) > next_size_ ? bytes + sizeof(Chunk) : next_size_;
    auto* chunk = static_cast<Chunk*>(std::malloc(size));
    if (!chunk) {
      note_no_memory(size);
      throw std::bad_alloc();
    }
    chunk->next = chunk_;
    chunk_ = chunk;
    at_ = reinterpret_cast<char*>(chunk + 1);
    left_ = size - sizeof(Chunk);
    if (next_size_ < kMost) next_size_ *= 2;
  }

  Chunk* chunk_ = nullptr;
  char* at_ = nullptr;
  size_t left_ = 0;
  size_t next_size_ = size_t{4} << 10;
};

}  // namespace fusillade
