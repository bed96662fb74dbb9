// See cuda_pool.h.
#include "engine/kernel/cuda_pool.h"

#include <algorithm>
#include <bit>

#include "engine/base/probe.h"

namespace fusillade::kernel::cuda {
namespace {

constexpr size_t kLeast = 512;

Probe probe_reused("kernel/cuda-memory-reused");
Probe probe_allocated("kernel/cuda-memory-allocated");
Probe probe_emptied("kernel/cuda-memory-emptied");

}  // namespace

size_t Pool::class_of(size_t bytes) {
  if (bytes <= kLeast) return kLeast;
  if (bytes > SIZE_MAX / 2) fail("no GPU has {} bytes", bytes);
  const size_t step = std::bit_floor(bytes - 1) / 4;
  return (bytes + step - 1) / step * step;
}

std::optional<Address> Pool::find_kept(const Piece& wanted) {
  // The youngest: its memory may be in a cache.
  for (auto it = kept_.rbegin(); it != kept_.rend(); ++it) {
    if (it->block.bytes != wanted.bytes || it->block.stream != wanted.stream) continue;
    const Address found = it->address;
    kept_.erase(std::next(it).base());
    stats_.kept -= wanted.bytes;
    ++stats_.reused;
    probe_reused.hit();
    return found;
  }
  return std::nullopt;
}

std::optional<Address> Pool::allocate(size_t bytes) {
  std::optional<Address> got = source_.allocate(bytes);
  if (!got && release_all()) got = source_.allocate(bytes);
  if (!got) return got;
  ++stats_.allocated;
  probe_allocated.hit();
  return got;
}

void Pool::release_kept(uint64_t down_to) {
  while (stats_.kept > down_to) {
    source_.release(kept_.front().address);
    stats_.kept -= kept_.front().block.bytes;
    kept_.pop_front();
    ++stats_.released;
  }
}

Address Pool::take(size_t bytes, Stream stream) {
  std::lock_guard lock(mutex_);
  const Piece block{class_of(bytes), stream};
  ++stats_.asked;
  if (limits_.in_use && block.bytes > limits_.in_use - stats_.in_use)
    fail(
        "no more memory on the GPU: {} bytes are asked for, {} are in use, the limit is {} "
        "(FUSILLADE_CUDA_MEMORY_MB)",
        bytes, stats_.in_use, limits_.in_use);
  std::optional<Address> got = find_kept(block);
  if (!got) got = allocate(block.bytes);
  if (!got)
    fail("no more memory on the GPU: {} bytes are asked for, {} are in use here", bytes,
         stats_.in_use);
  in_use_.emplace(*got, block);
  stats_.in_use += block.bytes;
  stats_.most_in_use = std::max(stats_.most_in_use, stats_.in_use);
  return *got;
}

void Pool::give(Address address) {
  std::lock_guard lock(mutex_);
  const auto it = in_use_.find(address);
  FUS_CHECK(it != in_use_.end(), "device memory is given back that nobody took");
  const Piece block = it->second;
  in_use_.erase(it);
  stats_.in_use -= block.bytes;
  kept_.push_back({address, block});
  stats_.kept += block.bytes;
  release_kept(limits_.kept);
}

bool Pool::release_all() {
  if (kept_.empty()) return false;
  release_kept(0);
  ++stats_.emptied;
  probe_emptied.hit();
  return true;
}

bool Pool::empty() {
  std::lock_guard lock(mutex_);
  return release_all();
}

PoolStats Pool::stats() const {
  std::lock_guard lock(mutex_);
  return stats_;
}

}  // namespace fusillade::kernel::cuda
