// Storage of a device, and the handles over it.
#include "engine/tensor/tensor.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>

#include "engine/base/probe.h"
#include "engine/tensor/device_access.h"
#include "engine/tensor/free_list.h"
#include "engine/tensor/largest_storage.h"
#include "engine/tensor/peak.h"
#include "engine/tensor/transfer.h"

namespace fusillade {
namespace {

constexpr size_t kPoisonLimit = 1 << 16;  // larger storages would cost memory bandwidth
constexpr uint8_t kPoisonByte = 0xFB;
constexpr size_t kMaxBytes = size_t{1} << 40;

std::atomic<size_t> g_live{0};
std::atomic<size_t> g_peak{0};
std::atomic<bool> g_beyond_reach{false};

void grew_to(size_t live) {
  size_t peak = g_peak.load(std::memory_order_relaxed);
  while (peak < live && !g_peak.compare_exchange_weak(peak, live, std::memory_order_relaxed)) {
  }
}
std::atomic<size_t> g_budget{0};
Probe probe_allocated("tensor/allocated");
thread_local size_t t_largest = kMaxBytes;

// Its fields hold anything.
Tensor new_handle() {
  Tensor reused = current_free_list ? current_free_list->take_handle() : Tensor();
  return reused.is_defined() ? std::move(reused) : Tensor::from_impl(new TensorImpl);
}

}  // namespace

LargestStorage::LargestStorage(size_t bytes) : before_(t_largest) {
  t_largest = std::min(bytes, before_);
}
LargestStorage::~LargestStorage() { t_largest = before_; }
size_t LargestStorage::now() { return t_largest; }

bool any_beyond_reach() { return g_beyond_reach.load(std::memory_order_relaxed); }

size_t Storage::live_bytes() { return g_live.load(); }
void restart_peak() { g_peak = g_live.load(); }
size_t peak_bytes() { return g_peak; }
size_t budget_bytes() { return g_budget; }

ExtraBytes::ExtraBytes(size_t bytes) : bytes_(bytes) {
  if (bytes_ > 0) grew_to(g_live.fetch_add(bytes_, std::memory_order_relaxed) + bytes_);
}
ExtraBytes::~ExtraBytes() { g_live.fetch_sub(bytes_, std::memory_order_relaxed); }
void Storage::set_budget(size_t bytes) { g_budget.store(bytes); }

Ref<Storage> Storage::allocate(size_t bytes, Device device) {
  if (bytes > kMaxBytes) fail("a tensor of {} bytes is too large", bytes);
  const DeviceRow& row = device_row(device);
  if (bytes > t_largest) throw std::bad_alloc();
  size_t budget = g_budget.load(std::memory_order_relaxed);
  if (budget && g_live.load(std::memory_order_relaxed) + bytes > budget) throw std::bad_alloc();
  const bool poison = bytes <= kPoisonLimit;
  uint8_t* data = row.allocate(bytes, poison);
  if (!data) throw std::bad_alloc();
  probe_allocated.hit();
  if (find_device_access(device.type)) g_beyond_reach = true;
  auto* s = new Storage;
  s->data_ = data;
  s->bytes_ = bytes;
  s->row_ = &row;
  s->device_ = placed_on(device);
  grew_to(g_live.fetch_add(bytes, std::memory_order_relaxed) + bytes);
  return Ref<Storage>(s);
}

Storage::~Storage() {
  g_live.fetch_sub(bytes_, std::memory_order_relaxed);
  row_->release(data_, bytes_);
}

void Storage::exchange_memory(Storage& other) {
  FUS_CHECK(device_ == other.device_, "memory of two devices");
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
}

bool Storage::red_zones_intact() const { return row_->intact(data_, bytes_); }

Tensor Tensor::empty(const Dims& sizes, DType dtype, Device device) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(static_cast<size_t>(numel_of(sizes)), size_of(dtype), &bytes))
    fail("a tensor of {} {} elements is too large", to_string(sizes), name_of(dtype));
  if (current_free_list && device == Device{} && bytes <= t_largest) {
    Tensor reused = current_free_list->take(sizes, contiguous_strides(sizes), dtype, bytes);
    if (reused.is_defined()) {
      if (bytes <= kPoisonLimit) std::memset(reused.raw(), kPoisonByte, bytes);
      return reused;
    }
  }
  Tensor t = new_handle();
  TensorImpl* impl = t.impl();
  impl->offset = 0;
  impl->sizes = sizes;
  impl->strides = contiguous_strides(sizes);
  impl->dtype = dtype;
  impl->storage = Storage::allocate(bytes, device);
  impl->device = impl->storage->device();
  return t;
}

Tensor Tensor::zeros(const Dims& sizes, DType dtype, Device device) {
  Tensor t = empty(sizes, dtype, device);
  if (in_reach(t)) {
    std::memset(t.storage()->data(), 0, t.storage()->bytes());
  } else {
    const std::vector<uint8_t> none(t.storage()->bytes());
    write_bytes(*t.storage(), 0, none.data(), none.size());
  }
  return t;
}

Tensor Tensor::view_of(const Tensor& base, int64_t offset, const Dims& sizes, const Dims& strides) {
  FUS_CHECK(sizes.rank() == strides.rank(), "{} sizes, {} strides", sizes.rank(), strides.rank());
  int64_t last = offset;
  for (int d = 0; d < sizes.rank(); ++d) {
    if (strides[d] < 0) fail("strides {} are negative", to_string(strides));
    int64_t reach = 0;
    if (__builtin_mul_overflow(std::max<int64_t>(sizes[d] - 1, 0), strides[d], &reach) ||
        __builtin_add_overflow(last, reach, &last)) {
      fail("sizes {} with strides {} overflow", to_string(sizes), to_string(strides));
    }
  }
  int64_t capacity = static_cast<int64_t>(base.storage()->bytes() / size_of(base.dtype()));
  if (numel_of(sizes) == 0) offset = last = 0;  // no element: it may lie anywhere
  bool inside = offset >= 0 && last <= capacity - (numel_of(sizes) != 0);
  if (!inside) {
    fail("a view of sizes {}, strides {}, offset {} leaves its storage of {} elements",
         to_string(sizes), to_string(strides), offset, capacity);
  }
  Tensor t = new_handle();
  TensorImpl* impl = t.impl();
  impl->storage = base.impl()->storage;
  impl->offset = offset;
  impl->sizes = sizes;
  impl->strides = strides;
  impl->dtype = base.dtype();
  impl->device = base.device();
  return t;
}

int64_t Tensor::numel() const {
  int64_t n = 1;
  for (int64_t s : impl_->sizes) n *= s;
  return n;
}

bool Tensor::is_contiguous() const {
  return fusillade::is_contiguous(impl_->sizes, impl_->strides);
}

bool Tensor::may_overlap_itself() const {
  // Sorted by stride, each dimension must step beyond everything the smaller ones reach.
  Dims order;
  for (int d = 0; d < rank(); ++d) {
    if (sizes()[d] == 0) return false;
    if (sizes()[d] == 1) continue;
    int at = 0;
    while (at < order.rank() && strides()[static_cast<int>(order[at])] < strides()[d]) ++at;
    order.insert(at, d);
  }
  int64_t reach = 0;
  for (int64_t d : order) {
    int64_t stride = strides()[static_cast<int>(d)];
    if (stride <= reach) return true;
    reach += stride * (sizes()[static_cast<int>(d)] - 1);
  }
  return false;
}

std::string describe(const Tensor& t) {
  return std::string(name_of(t.dtype())) + to_string(t.sizes());
}

}  // namespace fusillade
