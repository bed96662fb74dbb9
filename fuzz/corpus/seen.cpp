// See seen.h. A table of hashes, open addressing: a place is taken once and for ever.
#include "fuzz/corpus/seen.h"

#include <algorithm>
#include <new>

#include "engine/base/hash.h"
#include "fuzz/process/shared_memory.h"

namespace fusillade::fuzz {
namespace {

constexpr size_t kSlots = 2 * kMostSeen;

uint64_t hash_of(const std::string& word) { return std::max<uint64_t>(hash_bytes(word), 1); }

}  // namespace

bool Seen::has(const std::string& word) const {
  const uint64_t hash = hash_of(word);
  for (size_t i = 0; i < kSlots; ++i) {
    const uint64_t there = hashes[(hash + i) % kSlots].load(std::memory_order_acquire);
    if (there == hash) return true;
    if (there == 0) return count() >= kMostSeen;
  }
  return true;
}

void Seen::add(const std::string& word) {
  const auto kind = kind_of(word);
  if (!kind || count() >= kMostSeen) return;
  const uint64_t hash = hash_of(word);
  for (size_t i = 0; i < kSlots; ++i) {
    std::atomic<uint64_t>& place = hashes[(hash + i) % kSlots];
    uint64_t there = 0;
    if (place.compare_exchange_strong(there, hash)) {
      by_kind[static_cast<size_t>(*kind)].fetch_add(1);
      return;
    }
    if (there == hash) return;
  }
}

void Seen::add(const Features& features) {
  for (const std::string& word : features) add(word);
}

bool Seen::has_all(const Features& features) const {
  return std::ranges::all_of(features, [this](const std::string& word) { return has(word); });
}

uint64_t Seen::count() const {
  uint64_t out = 0;
  for (const auto& n : by_kind) out += n.load(std::memory_order_relaxed);
  return out;
}

Seen* map_seen() { return new (map_shared(sizeof(Seen))) Seen{}; }

}  // namespace fusillade::fuzz
