// Intrusive reference counting: one word per handle, one atomic count in the object.
//
// T derives from Counted. A count of one is what lets the VM reuse or free a buffer at its last
// use.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace fusillade {

class Counted {
 public:
  Counted() = default;
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  void retain() const { count_.fetch_add(1, std::memory_order_relaxed); }
  bool drop() const { return count_.fetch_sub(1, std::memory_order_acq_rel) == 1; }
  // Who sees one sees also what others did before they let go.
  uint32_t use_count() const { return count_.load(std::memory_order_acquire); }

 private:
  mutable std::atomic<uint32_t> count_{0};
};

template <class T>
class Ref {
 public:
  Ref() = default;
  explicit Ref(T* object) : object_(object) {
    if (object_) object_->retain();
  }
  Ref(const Ref& other) : Ref(other.object_) {}
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() { reset(); }
  void reset() {
    T* old = std::exchange(object_, nullptr);
    if (old && old->drop()) delete old;
  }
  T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }
  bool operator==(const Ref& other) const { return object_ == other.object_; }

 private:
  T* object_ = nullptr;
};

}  // namespace fusillade
