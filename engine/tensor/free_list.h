// Tensors that died and whose memory is used again: an executor offers what nobody can reach any
// more, and fresh tensors of as many bytes take it over, handle, storage and all.
//
// A tensor is taken in only while its handle and its storage are referenced once, here: no view of
// it, no container, no caller and no tape has it, so that its reuse is not observable. What
// Tensor::empty takes out is poisoned as fresh memory is. An executable keeps its free list between
// calls; a steady state asks the system only for what leaves the call.
#pragma once

#include <vector>

#include "engine/tensor/tensor.h"

namespace fusillade {

class FreeList {
 public:
  static constexpr size_t kMostBytes = size_t{4} << 20;  // kept in all
  static constexpr size_t kMostCount = 64;

  FreeList() {
    kept_.reserve(kMostCount);
    handles_.reserve(kMostCount);
  }
  // Takes the tensor in if nothing else holds it and there is room; of a view, whose storage
  // others hold, the handle alone.
  void offer(Tensor&& t);
  // A dense tensor of the cpu; undefined where none fits.
  Tensor take(const Dims& sizes, const Dims& strides, DType dtype, size_t bytes);
  // A handle without a storage; undefined where there is none.
  Tensor take_handle();

 private:
  std::vector<Tensor> kept_;
  std::vector<Tensor> handles_;
  size_t bytes_ = 0;
};

// Those of the call that this thread runs: Tensor::empty takes from them. Null: none.
extern constinit thread_local FreeList* current_free_list;

class FreeListScope {
 public:
  explicit FreeListScope(FreeList* free_list) : saved_(current_free_list) {
    current_free_list = free_list;
  }
  ~FreeListScope() { current_free_list = saved_; }
  FreeListScope(const FreeListScope&) = delete;
  FreeListScope& operator=(const FreeListScope&) = delete;

 private:
  FreeList* saved_;
};

}  // namespace fusillade
