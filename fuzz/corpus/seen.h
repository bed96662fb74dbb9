// The features that a campaign knows, in memory that its workers share: what is new to one worker
// is new to all. Features are distinguished by their hashes. There is room for kMostSeen; beyond
// that a feature counts as seen, so that nothing is kept for it.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "fuzz/corpus/feature.h"

namespace fusillade::fuzz {

inline constexpr size_t kMostSeen = 1 << 17;

struct Seen {
  std::atomic<uint64_t> hashes[2 * kMostSeen];
  std::atomic<uint64_t> by_kind[kNumFeatureKinds];
  std::atomic<uint64_t> kept, kept_bytes;  // cases that workers added to the corpus

  bool has(const std::string& word) const;
  void add(const std::string& word);
  void add(const Features& features);
  bool has_all(const Features& features) const;
  uint64_t count() const;  // of all kinds
};

// None of anything, in shared memory that is freed when the process ends.
Seen* map_seen();

}  // namespace fusillade::fuzz
