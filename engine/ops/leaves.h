// What lies in lists and tuples, those in inner ones too. One that lies in many others is looked
// into once, so that this takes as long as the value is large in memory (extent.h); a leaf is met
// as often as it lies in one of them.
#pragma once

#include <unordered_set>

#include "engine/ops/ivalue.h"

namespace fusillade {

template <class F>
class LeafWalk {
 public:
  explicit LeafWalk(F& f) : f_(f) {}

  void value(const IValue& v, bool nested = false) {
    if (!v.is_sequence()) return f_(v);
    if (nested && !seen_.insert(v.seq()).second) return;
    for (const IValue& item : v.items()) value(item, true);
  }

 private:
  F& f_;
  std::unordered_set<const void*> seen_;  // that lie in others
};

template <class F>
void for_each_leaf_once(const IValue& v, F&& f) {
  LeafWalk<F>(f).value(v);
}

template <class F>
void for_each_tensor_once(const IValue& v, F&& f) {
  for_each_leaf_once(v, [&](const IValue& leaf) {
    if (leaf.is_tensor()) f(leaf.as_tensor());
  });
}

}  // namespace fusillade
