// A list whose memory is its graph's arena: what nodes and values keep their operands, results and
// uses in.
//
// Sixteen bytes; growing takes a larger piece of the arena and leaves the old one to die with the
// graph. Readers see a contiguous range (it converts to std::span and copies to std::vector); only
// the graph's own classes, which hold it by value, can change it. Elements are destroyed with the
// list.
#pragma once

#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/base/arena.h"

namespace fusillade {

template <class T>
class List {
 public:
  List() = default;
  List(const List&) = delete;
  List& operator=(const List&) = delete;
  ~List() { clear(); }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T* data() const { return data_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  const T& operator[](size_t i) const { return data_[i]; }
  const T& front() const { return data_[0]; }
  const T& back() const { return data_[size_ - 1]; }
  operator std::vector<T>() const {
    return {begin(), end()};
  }  // NOLINT: a copy that outlives edits
  bool operator==(const List& other) const { return equal(other.begin(), other.end()); }
  bool operator==(const std::vector<T>& other) const {
    return equal(other.data(), other.data() + other.size());
  }

  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  T& operator[](size_t i) { return data_[i]; }
  void reserve(Arena& arena, size_t n) {
    if (n <= capacity_) return;
    T* wider = static_cast<T*>(arena.take(n * sizeof(T)));
    for (uint32_t i = 0; i < size_; ++i) {
      new (wider + i) T(std::move(data_[i]));
      data_[i].~T();
    }
    data_ = wider;
    capacity_ = static_cast<uint32_t>(n);
  }
  void push_back(Arena& arena, T value) {
    if (size_ == capacity_) reserve(arena, size_ ? size_t{2} * size_ : kFirst);
    new (data_ + size_++) T(std::move(value));
  }
  void erase(size_t at) {
    for (size_t i = at; i + 1 < size_; ++i) data_[i] = std::move(data_[i + 1]);
    data_[--size_].~T();
  }
  void clear() {
    if constexpr (!std::is_trivially_destructible_v<T>) {
      for (uint32_t i = 0; i < size_; ++i) data_[i].~T();
    }
    size_ = 0;
  }

 private:
  static constexpr size_t kFirst = sizeof(T) > 16 ? 1 : 2;
  bool equal(const T* from, const T* to) const {
    if (static_cast<size_t>(to - from) != size_) return false;
    for (const T* t = data_; from != to; ++from, ++t) {
      if (!(*t == *from)) return false;
    }
    return true;
  }
  T* data_ = nullptr;
  uint32_t size_ = 0;
  uint32_t capacity_ = 0;
};

}  // namespace fusillade
