// Sizes and strides: a fixed-capacity vector of int64, and the arithmetic of shapes.
//
// Rank is at most kMaxRank (8). Strides count elements, not bytes; 0 is legal (expanded), negative
// is not. A size is >= 0; numel of rank 0 is 1.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

#include "engine/base/error.h"

namespace fusillade {

inline constexpr int kMaxRank = 8;

class Dims {
 public:
  Dims() = default;
  Dims(std::initializer_list<int64_t> values) {
    for (int64_t v : values) push_back(v);
  }
  explicit Dims(int rank, int64_t value = 0) {
    for (int i = 0; i < rank; ++i) push_back(value);
  }
  int rank() const { return rank_; }
  int size() const { return rank_; }
  bool empty() const { return rank_ == 0; }
  int64_t operator[](int i) const { return d_[i]; }
  int64_t& operator[](int i) { return d_[i]; }
  const int64_t* begin() const { return d_; }
  const int64_t* end() const { return d_ + rank_; }
  int64_t* begin() { return d_; }
  int64_t* end() { return d_ + rank_; }
  int64_t back() const { return d_[rank_ - 1]; }
  void push_back(int64_t v) {
    if (rank_ == kMaxRank) fail("a tensor of more than {} dimensions is not supported", kMaxRank);
    d_[rank_++] = v;
  }
  void pop_back() { --rank_; }
  void insert(int at, int64_t v);
  void erase(int at);
  bool operator==(const Dims& other) const;

 private:
  int32_t rank_ = 0;
  int64_t d_[kMaxRank];  // uninitialised beyond the rank: a Dims is cheap to construct
};

// Product of sizes; throws Error when it exceeds int64.
int64_t numel_of(const Dims& sizes);
// Row-major strides, ATen's convention (size-0 and size-1 dims count as 1).
Dims contiguous_strides(const Dims& sizes);
bool is_contiguous(const Dims& sizes, const Dims& strides);
// NumPy broadcasting; throws Error naming both shapes.
Dims broadcast(const Dims& a, const Dims& b);
// The same of sizes of which some are not known: -1, or a symbol below it (see TensorInfo).
Dims broadcast_known(const Dims& a, const Dims& b);
// Maps a possibly negative dim to [0, rank); a 0-d tensor accepts -1 and 0. Throws Error (ATen's
// rule).
int wrap_dim(int64_t dim, int rank);
// "[2, 3]"
std::string to_string(const Dims& dims);

}  // namespace fusillade
