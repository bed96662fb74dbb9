// See arg_key.h.
#include "engine/run/arg_key.h"

#include <algorithm>

#include "engine/base/probe.h"

namespace fusillade {
namespace {

Probe probe_found("jit/cache-hit");

void describe_value(const IValue& v, std::vector<uint64_t>& words) {
  const uint64_t tag = static_cast<uint64_t>(v.tag());
  if (v.tag() == IValue::Tag::Tuple) {
    words.push_back(tag | v.items().size() << 8);
    for (const IValue& item : v.items()) describe_value(item, words);
    return;
  }
  if (!v.is_tensor()) return words.push_back(tag);
  const Tensor t = v.as_tensor();
  if (!t.is_defined()) return words.push_back(tag | 1 << 8);
  words.push_back(tag | 2 << 8 | uint64_t{t.requires_grad()} << 10 |
                  static_cast<uint64_t>(t.dtype()) << 16 | static_cast<uint64_t>(t.rank()) << 24 |
                  static_cast<uint64_t>(t.device().type) << 32 |
                  uint64_t{static_cast<uint8_t>(t.device().index)} << 40);
  for (int64_t size : t.sizes()) words.push_back(static_cast<uint64_t>(size));
  for (int64_t stride : t.strides()) words.push_back(static_cast<uint64_t>(stride));
}

size_t hash_of(std::span<const uint64_t> words) {
  uint64_t h = words.size();
  for (uint64_t w : words) h = (h ^ w) * 0x9e3779b97f4a7c15u, h ^= h >> 29;
  return static_cast<size_t>(h ^ h >> 32);
}

}  // namespace

bool holds_failed_task(std::span<const IValue> args) {
  return std::ranges::any_of(args, [](const IValue& v) {
    if (v.tag() != IValue::Tag::Tuple) return false;
    if (!v.seq()->task) return holds_failed_task(v.items());
    try {
      return holds_failed_task(v.items());
    } catch (const Error&) {
      return true;
    }
  });
}

bool may_record(std::span<const IValue> args) {
  return std::ranges::any_of(args, [](const IValue& v) {
    switch (v.tag()) {
      case IValue::Tag::Tensor:
        return v.as_tensor().is_defined() && v.as_tensor().requires_grad();
      case IValue::Tag::Tuple:
        return holds_failed_task({&v, 1}) || may_record(v.items());
      case IValue::Tag::List:
      case IValue::Tag::Dict:
      case IValue::Tag::Object:
        return true;
      default:
        return false;
    }
  });
}

void describe_call(const CallKind& kind, std::span<const IValue> args,
                   std::vector<uint64_t>& words) {
  words.clear();
  words.push_back(uint64_t{kind.recorded} << 8 | static_cast<uint64_t>(kind.domain));
  for (const IValue& v : args) describe_value(v, words);
}

struct PlanCache::Entry {
  std::vector<uint64_t> words;
  const void* plan;
  Entry* next;
};

PlanCache::~PlanCache() {
  for (auto& bucket : buckets_) {
    for (Entry* e = bucket.load(); e;) {
      Entry* next = e->next;
      delete e;
      e = next;
    }
  }
}

const void* PlanCache::find(std::span<const uint64_t> words) const {
  const Entry* e = buckets_[hash_of(words) % kBuckets].load(std::memory_order_acquire);
  while (e && !std::ranges::equal(e->words, words)) e = e->next;
  if (!e) return nullptr;
  probe_found.hit();
  return e->plan;
}

void PlanCache::add(std::span<const uint64_t> words, const void* plan) {
  std::lock_guard lock(writing_);
  if (size_ >= kMost || find(words)) return;
  ++size_;
  auto& bucket = buckets_[hash_of(words) % kBuckets];
  bucket.store(new Entry{{words.begin(), words.end()}, plan, bucket.load()},
               std::memory_order_release);
}

}  // namespace fusillade
