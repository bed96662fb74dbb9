// See transfer.h.
#include "engine/tensor/transfer.h"

#include <cstring>
#include <vector>

#include "engine/tensor/device_access.h"

namespace fusillade {
namespace {

const DeviceAccess* access_of(const Storage& s) { return find_device_access(s.device().type); }

// From the first element to behind the last.
size_t span_of(const Tensor& t) {
  int64_t last = 0;
  for (int d = 0; d < t.rank(); ++d) {
    if (t.sizes()[d] == 0) return 0;
    last += (t.sizes()[d] - 1) * t.strides()[d];
  }
  return static_cast<size_t>(last + 1) * size_of(t.dtype());
}

bool is_dense(const Tensor& t) {
  return span_of(t) == static_cast<size_t>(t.numel()) * size_of(t.dtype()) &&
         !t.may_overlap_itself();
}

size_t offset_in_bytes(const Tensor& t) {
  return static_cast<size_t>(t.offset()) * size_of(t.dtype());
}

// t's elements in host memory, as t has them or, with gaps and overlaps left out, the usual way.
Tensor on_host(const Tensor& t) {
  const size_t bytes = span_of(t);
  const int64_t elements = static_cast<int64_t>(bytes / size_of(t.dtype()));
  const Tensor flat = Tensor::empty({elements}, t.dtype());
  read_bytes(*t.storage(), offset_in_bytes(t), flat.raw(), bytes);
  FUS_CHECK(t.storage()->red_zones_intact(), "something wrote outside {} on '{}'", describe(t),
            to_string(t.device()));
  const Tensor laid = Tensor::view_of(flat, 0, t.sizes(), t.strides());
  return is_dense(t) ? laid : contiguous(laid, true);
}

}  // namespace

void read_bytes(const Storage& from, size_t at, void* to, size_t bytes) {
  if (bytes == 0) return;
  if (const DeviceAccess* a = access_of(from)) a->to_host(to, from.data() + at, bytes);
  else std::memcpy(to, from.data() + at, bytes);
}

void write_bytes(const Storage& to, size_t at, const void* from, size_t bytes) {
  if (bytes == 0) return;
  if (const DeviceAccess* a = access_of(to)) a->from_host(to.data() + at, from, bytes);
  else std::memcpy(to.data() + at, from, bytes);
}

void copy_bytes(const Storage& to, const Storage& from) {
  FUS_CHECK(to.bytes() == from.bytes(), "{} bytes copied to {}", from.bytes(), to.bytes());
  if (!access_of(from)) return write_bytes(to, 0, from.data(), from.bytes());
  if (!access_of(to)) return read_bytes(from, 0, to.data(), from.bytes());
  if (to.device() == from.device()) {
    if (from.bytes()) access_of(to)->within(to.data(), from.data(), from.bytes());
    return;
  }
  std::vector<uint8_t> between(from.bytes());
  read_bytes(from, 0, between.data(), between.size());
  write_bytes(to, 0, between.data(), between.size());
}

Ref<Storage> copied_to(const Storage& from, Device device) {
  Ref<Storage> out = Storage::allocate(from.bytes(), device);
  copy_bytes(*out, from);
  return out;
}

Tensor over(const Ref<Storage>& storage, const Tensor& t) {
  Tensor out = Tensor::from_impl(new TensorImpl);
  TensorImpl* impl = out.impl();
  impl->storage = storage;
  impl->offset = t.offset();
  impl->sizes = t.sizes();
  impl->strides = t.strides();
  impl->dtype = t.dtype();
  impl->device = storage->device();
  return out;
}

Tensor copied_to(const Tensor& t, Device device) {
  const Device to = placed_on(device);
  if (to == t.device() && !in_reach(t) && is_dense(t)) {
    Tensor out = Tensor::empty(t.sizes(), t.dtype(), to);
    if (t.numel() > 0) access_of(*t.storage())->within(out.raw(), t.raw(), span_of(t));
    out.impl()->strides = t.strides();
    return out;
  }
  if (to == Device()) return in_reach(t) ? contiguous(t, true) : on_host(t);
  const Tensor here = in_reach(t) ? t : on_host(t);
  const Tensor dense = is_dense(here) ? here : contiguous(here);
  Tensor out = Tensor::empty(t.sizes(), t.dtype(), to);
  write_bytes(*out.storage(), 0, dense.raw(), span_of(dense));
  out.impl()->strides = dense.strides();
  return out;
}

Tensor to_host(const Tensor& t) { return in_reach(t) ? t : copied_to(t, {}); }

}  // namespace fusillade
