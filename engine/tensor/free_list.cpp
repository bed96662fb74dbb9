// See free_list.h.
#include "engine/tensor/free_list.h"

#include <utility>

namespace fusillade {

constinit thread_local FreeList* current_free_list = nullptr;

void FreeList::offer(Tensor&& t) {
  Tensor dead = std::move(t);
  const TensorImpl* impl = dead.impl();
  if (impl->use_count() != 1 || impl->history || impl->device != Device{}) return;
  if (impl->storage->use_count() != 1) {
    if (handles_.size() == kMostCount) return;
    dead.impl()->storage.reset();
    handles_.push_back(std::move(dead));
    return;
  }
  const size_t bytes = impl->storage->bytes();
  if (kept_.size() == kMostCount || bytes_ + bytes > kMostBytes) return;
  bytes_ += bytes;
  kept_.push_back(std::move(dead));
}

Tensor FreeList::take(const Dims& sizes, const Dims& strides, DType dtype, size_t bytes) {
  for (size_t i = kept_.size(); i-- > 0;) {
    if (kept_[i].storage()->bytes() != bytes) continue;
    std::swap(kept_[i], kept_.back());
    Tensor t = std::move(kept_.back());
    kept_.pop_back();
    bytes_ -= bytes;
    TensorImpl* impl = t.impl();
    impl->sizes = sizes;
    impl->strides = strides;
    impl->offset = 0;
    impl->dtype = dtype;
    return t;
  }
  return {};
}

Tensor FreeList::take_handle() {
  if (handles_.empty()) return {};
  Tensor t = std::move(handles_.back());
  handles_.pop_back();
  return t;
}

}  // namespace fusillade
