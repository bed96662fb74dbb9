// A strided tensor: shared storage on a device, offset, sizes, strides, dtype.
//
// Tensors are handles: copying one shares the storage, so views and in-place writes behave as
// ATen's. Storage takes its memory from its device's row (device.h); `red_zones_intact` says
// whether a kernel wrote outside it. Small fresh storage is poisoned, so a read of an unwritten
// element shows; large storage is not, because it costs memory bandwidth. What reads elements here
// and in the rest of this folder reads the cpu's.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "engine/base/ref.h"
#include "engine/tensor/device.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/shape.h"

namespace fusillade {

class Storage : public Counted {
 public:
  static constexpr size_t kRedZone = 64;  // bytes; also the alignment of data()
  // Throws Error when the size is absurd or the device has no row, std::bad_alloc when it exceeds
  // the budget (see set_budget).
  static Ref<Storage> allocate(size_t bytes, Device device = {});
  ~Storage();
  Device device() const { return device_; }
  uint8_t* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  bool red_zones_intact() const;
  // All tensors on either have the other's memory from now on. Of one device.
  void exchange_memory(Storage& other);
  // How often a tape saw these bytes written: what it saved of them is good for one version.
  uint64_t version() const { return version_.load(std::memory_order_relaxed); }
  void bump_version() const { version_.fetch_add(1, std::memory_order_relaxed); }

  // Live bytes of all storages, and a ceiling (0: none) beyond which allocate throws bad_alloc.
  static size_t live_bytes();
  static void set_budget(size_t bytes);

 private:
  Storage() = default;
  uint8_t* data_ = nullptr;
  size_t bytes_ = 0;
  const DeviceRow* row_ = nullptr;  // of the device
  Device device_;
  mutable std::atomic<uint64_t> version_{0};
};

// How a tensor came to be, as far as gradients flow back through it: a tape's own (front/tape.h).
struct TensorHistory : Counted {
  virtual ~TensorHistory() = default;
  virtual bool requires_grad() const = 0;
};

struct TensorImpl : Counted {
  Ref<Storage> storage;
  int64_t offset = 0;  // elements
  Dims sizes;
  Dims strides;
  DType dtype = DType::F32;
  Device device;               // the storage's, where there is one
  Ref<TensorHistory> history;  // null: nothing flows back
};

class Tensor {
 public:
  Tensor() = default;  // undefined
  // Contiguous; poisoned.
  static Tensor empty(const Dims& sizes, DType dtype, Device device = {});
  static Tensor zeros(const Dims& sizes, DType dtype, Device device = {});
  // A view of `base`'s storage; throws Error when an element would lie outside it.
  static Tensor view_of(const Tensor& base, int64_t offset, const Dims& sizes, const Dims& strides);

  bool is_defined() const { return static_cast<bool>(impl_); }
  DType dtype() const { return impl_->dtype; }
  Device device() const { return impl_->device; }
  const Dims& sizes() const { return impl_->sizes; }
  const Dims& strides() const { return impl_->strides; }
  int rank() const { return impl_->sizes.rank(); }
  int64_t offset() const { return impl_->offset; }
  int64_t numel() const;
  const Storage* storage() const { return impl_->storage.get(); }
  const Ref<Storage>& storage_ref() const { return impl_->storage; }
  uint32_t storage_uses() const { return impl_->storage->use_count(); }
  bool is_contiguous() const;
  // Address of the first element.
  uint8_t* raw() const { return impl_->storage->data() + impl_->offset * size_of(impl_->dtype); }
  template <class T>
  T* data() const {
    return reinterpret_cast<T*>(raw());
  }
  // May two elements of this tensor share memory (stride 0, overlap)?
  bool may_overlap_itself() const;
  bool requires_grad() const { return impl_->history && impl_->history->requires_grad(); }
  bool shares_storage(const Tensor& other) const { return storage() == other.storage(); }
  bool same(const Tensor& other) const { return impl_ == other.impl_; }  // the same handle
  TensorImpl* impl() const { return impl_.get(); }
  static Tensor from_impl(TensorImpl* impl) {
    Tensor t;
    t.impl_ = Ref<TensorImpl>(impl);
    return t;
  }

 private:
  Ref<TensorImpl> impl_;
};

// A contiguous copy (the tensor itself when already contiguous and `always` is false).
Tensor contiguous(const Tensor& t, bool always = false);
// Element-wise conversion into a fresh contiguous tensor; ATen's casts (float to int truncates, out
// of range saturates nowhere: see scalar/native.h for the defined result).
Tensor to_dtype(const Tensor& t, DType dtype);
// dst[...] = src[...] with broadcasting and conversion.
void copy_into(const Tensor& dst, const Tensor& src);
// Bitwise equality of dtype, sizes and elements (NaN payloads compare as NaN == NaN when
// `nan_equal`).
bool bitwise_equal(const Tensor& a, const Tensor& b, bool nan_equal = true);
// Element i in row-major order, as a double / an int64 (conversion as C's for in-range values).
double element_as_double(const Tensor& t, int64_t i);
int64_t element_as_int(const Tensor& t, int64_t i);
void set_element(const Tensor& t, int64_t i, double value);
void set_element_int(const Tensor& t, int64_t i, int64_t value);
// "f32[2, 3]"
std::string describe(const Tensor& t);

}  // namespace fusillade
