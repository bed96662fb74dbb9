// Device memory that is kept for the next who asks: a driver's own allocations wait for all that
// runs, and take longer than small kernels.
//
// Sizes are rounded up to classes, four to each doubling. What is given back is kept with the
// stream that used it last, and taken again by that stream alone: what is still to run there has
// ended before what comes after it. Blocks are neither split nor joined. What is kept is bounded;
// where the device has no more, all that is kept goes back to it and it is asked once more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "engine/kernel/cuda_driver.h"

namespace fusillade::kernel::cuda {

// Where the memory comes from.
struct MemorySource {
  std::function<std::optional<Address>(size_t bytes)> allocate;  // nothing: there is no more
  std::function<void(Address)> release;
};

struct PoolLimits {
  uint64_t in_use = 0;  // bytes at the same time; 0: what the device has
  uint64_t kept = uint64_t{1} << 30;
};

// In bytes of the classes.
struct PoolStats {
  uint64_t asked = 0;      // how often memory was asked for,
  uint64_t reused = 0;     // and how often some that was kept would do
  uint64_t allocated = 0;  // blocks that the device gave
  uint64_t released = 0;   // and got back
  uint64_t emptied = 0;    // how often all that was kept went back at once
  uint64_t in_use = 0, most_in_use = 0, kept = 0;
};

class Pool {
 public:
  Pool(MemorySource source, PoolLimits limits) : source_(std::move(source)), limits_(limits) {}
  ~Pool() { empty(); }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // Throws Error where there is no more, or the limit is reached.
  Address take(size_t bytes, Stream stream);
  void give(Address block);
  bool empty();  // gives back what is kept; was there some?
  PoolStats stats() const;

  static size_t class_of(size_t bytes);

 private:
  struct Piece {
    size_t bytes;
    Stream stream;
  };
  struct Kept {
    Address address;
    Piece block;
  };

  std::optional<Address> find_kept(const Piece& wanted);
  std::optional<Address> allocate(size_t bytes);
  void release_kept(uint64_t down_to);
  bool release_all();

  MemorySource source_;
  PoolLimits limits_;
  mutable std::mutex mutex_;
  std::unordered_map<Address, Piece> in_use_;
  std::deque<Kept> kept_;  // oldest first
  PoolStats stats_;
};

// A block for as long as this lives.
class Block {
 public:
  Block() = default;
  Block(Pool& pool, size_t bytes, Stream stream)
      : pool_(&pool), address_(pool.take(bytes, stream)) {}
  Block(Block&& other) noexcept
      : pool_(std::exchange(other.pool_, nullptr)), address_(other.address_) {}
  Block& operator=(Block&&) = delete;
  ~Block() {
    if (pool_) pool_->give(address_);
  }
  Address address() const { return address_; }

 private:
  Pool* pool_ = nullptr;
  Address address_ = 0;
};

}  // namespace fusillade::kernel::cuda
