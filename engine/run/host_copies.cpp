// See host_copies.h.
#include "engine/run/host_copies.h"

#include <algorithm>

#include "engine/tensor/transfer.h"

namespace fusillade {
namespace {

template <class F>
IValue each_tensor(const IValue& v, F f) {
  if (v.is_tensor()) return v.as_tensor().is_defined() ? IValue(f(v.as_tensor())) : v;
  if (!v.is_sequence()) return v;
  std::vector<IValue> items;
  for (const IValue& item : v.items()) items.push_back(each_tensor(item, f));
  if (v.tag() == IValue::Tag::List) return IValue::list(std::move(items), v.seq()->element);
  return IValue::tuple(std::move(items));
}

bool same_geometry(const TensorImpl& a, const TensorImpl& b) {
  return a.offset == b.offset && a.sizes == b.sizes && a.strides == b.strides && a.dtype == b.dtype;
}

}  // namespace

IValue HostCopies::of(const IValue& v) {
  return each_tensor(v, [&](const Tensor& t) { return of(t); });
}

IValue HostCopies::back(const IValue& v) {
  return each_tensor(v, [&](const Tensor& t) { return back(t); });
}

Ref<Storage> HostCopies::here_for(const Ref<Storage>& there) {
  for (const Stored& s : storages_)
    if (s.there.get() == there.get()) return s.here;
  FUS_CHECK(there->red_zones_intact(), "something wrote outside a tensor on '{}'",
            to_string(there->device()));
  storages_.push_back({there, copied_to(*there, Device())});
  return storages_.back().here;
}

Ref<Storage> HostCopies::there_for(const Ref<Storage>& here) {
  for (const Stored& s : storages_)
    if (s.here.get() == here.get()) return s.there;
  storages_.push_back({copied_to(*here, device_), here});
  return storages_.back().there;
}

Tensor HostCopies::of(const Tensor& t) {
  if (in_reach(t)) {
    given_.push_back(t);
    return t;
  }
  for (const Pair& p : tensors_)
    if (p.there.same(t)) return p.here;
  const Tensor here = over(here_for(t.storage_ref()), t);
  tensors_.push_back({t, here});
  return here;
}

// A stand-in that got other memory or another shape (resize_) hands them on.
void HostCopies::put_back(bool written) {
  if (!written) return;
  for (const Stored& s : storages_)
    if (s.there->bytes() == s.here->bytes()) copy_bytes(*s.there, *s.here);
  for (const Pair& p : tensors_) {
    TensorImpl& there = *p.there.impl();
    const TensorImpl& here = *p.here.impl();
    there.storage = there_for(here.storage);
    if (same_geometry(there, here)) continue;
    there.offset = here.offset;
    there.sizes = here.sizes;
    there.strides = here.strides;
    there.dtype = here.dtype;
  }
}

Tensor HostCopies::back(const Tensor& t) {
  for (const Pair& p : tensors_)
    if (p.here.same(t)) return p.there;
  const auto lies_there = [&](const Tensor& g) { return g.shares_storage(t); };
  if (!in_reach(t) || std::ranges::any_of(given_, lies_there)) return t;
  const auto has_same_storage = [&](const Stored& s) { return s.here.get() == t.storage(); };
  const bool is_host_copy = std::ranges::any_of(storages_, has_same_storage);
  return is_host_copy ? over(there_for(t.storage_ref()), t) : copied_to(t, device_);
}

}  // namespace fusillade
