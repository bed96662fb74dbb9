// See extent.h.
#include "engine/ops/extent.h"

#include <algorithm>
#include <unordered_map>

namespace fusillade {
namespace {

constexpr Extent kTooMuch{kMostValues + 1, kMostNested + 1};

// Each box is looked into once.
class Walk {
 public:
  Extent of(const IValue& v, int depth) {
    const void* box = box_of(v);
    if (!box) return {1, 1};
    if (depth > kMostNested) return kTooMuch;
    const auto [seen, fresh] = known_.try_emplace(box, kTooMuch);  // while it is looked into
    if (!fresh) return seen->second;
    Extent sum{1, 1};
    const auto add = [&](const IValue& part) {
      if (!sum.fits()) return;
      const Extent e = of(part, depth + 1);
      sum.values += e.values;
      sum.levels = std::max(sum.levels, e.levels + 1);
    };
    for_each_part(v, add);
    return known_[box] = sum.fits() ? sum : kTooMuch;
  }

 private:
  static const void* box_of(const IValue& v) {
    if (v.is_sequence()) return v.seq();
    if (v.tag() == IValue::Tag::Dict) return &v.as_dict();
    if (v.tag() == IValue::Tag::Object) return &v.as_object();
    return nullptr;
  }

  template <class F>
  static void for_each_part(const IValue& v, F f) {
    if (v.is_sequence()) {
      for (const IValue& item : v.items()) f(item);
    } else if (v.tag() == IValue::Tag::Object) {
      for (const IValue& slot : v.as_object().slots) f(slot);
    } else {
      for (const auto& [key, value] : v.as_dict().items()) {
        f(key);
        f(value);
      }
    }
  }

  std::unordered_map<const void*, Extent> known_;
};

}  // namespace

Extent extent(const std::vector<IValue>& values) {
  Walk walk;
  Extent sum;
  for (const IValue& v : values) {
    const Extent e = walk.of(v, 1);
    sum.values = std::min(sum.values + e.values, kTooMuch.values);
    sum.levels = std::max(sum.levels, e.levels);
  }
  return sum;
}

}  // namespace fusillade
