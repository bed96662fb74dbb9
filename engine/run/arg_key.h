// What the arguments of a call look like, as words: the key by which plans are looked up.
//
// The words of a tensor are dtype, device, sizes, strides and whether it requires a gradient; those
// of a tuple are its items'; any other value has only its kind. Lists, dicts and objects are not
// looked into: they may change while a plan runs. Equal words mean equal answers of every guard on
// arguments.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "engine/ops/ivalue.h"
#include "engine/tensor/domain.h"

namespace fusillade {

// What distinguishes a call besides its arguments.
struct CallKind {
  Domain domain = Domain::Real;
  bool recorded = false;  // a tape may record what runs
  bool operator==(const CallKind&) const = default;
};

// May a tape that is in force see any of these?
bool may_record(std::span<const IValue> args);

// Is one a task that threw, also within tuples? Whoever looks into it gets its error. Waits for
// tasks.
bool holds_failed_task(std::span<const IValue> args);

// Replaces `words`.
void describe_call(const CallKind& kind, std::span<const IValue> args,
                   std::vector<uint64_t>& words);

// From words to what runs: read without a lock, written by one at a time. What is in it stays.
class PlanCache {
 public:
  static constexpr size_t kMost = 4096;  // beyond it nothing is kept

  PlanCache() = default;
  ~PlanCache();
  PlanCache(const PlanCache&) = delete;
  PlanCache& operator=(const PlanCache&) = delete;
  const void* find(std::span<const uint64_t> words) const;  // null: not known
  void add(std::span<const uint64_t> words, const void* plan);

 private:
  struct Entry;
  static constexpr size_t kBuckets = 64;
  std::atomic<Entry*> buckets_[kBuckets] = {};
  std::mutex writing_;
  size_t size_ = 0;
};

}  // namespace fusillade
