// Arithmetic of shapes.
#include "engine/tensor/shape.h"

#include <algorithm>

namespace fusillade {

void Dims::insert(int at, int64_t v) {
  push_back(v);
  for (int i = rank_ - 1; i > at; --i) std::swap(d_[i], d_[i - 1]);
}

void Dims::erase(int at) {
  for (int i = at; i + 1 < rank_; ++i) d_[i] = d_[i + 1];
  --rank_;
}

bool Dims::operator==(const Dims& other) const {
  return rank_ == other.rank_ && std::equal(begin(), end(), other.begin());
}

int64_t numel_of(const Dims& sizes) {
  int64_t n = 1;
  for (int64_t s : sizes) {
    if (s < 0) fail("a size of {} is negative", to_string(sizes));
    if (__builtin_mul_overflow(n, s, &n)) fail("{} has too many elements", to_string(sizes));
  }
  return n;
}

Dims contiguous_strides(const Dims& sizes) {
  Dims out(sizes.rank());
  int64_t stride = 1;
  for (int d = sizes.rank() - 1; d >= 0; --d) {
    out[d] = stride;
    if (__builtin_mul_overflow(stride, std::max<int64_t>(sizes[d], 1), &stride))
      fail("{} is too large: its strides do not fit in 63 bits", to_string(sizes));
  }
  return out;
}

bool is_contiguous(const Dims& sizes, const Dims& strides) {
  int64_t expected = 1;
  for (int64_t s : sizes) {
    if (s == 0) return true;
  }
  for (int d = sizes.rank() - 1; d >= 0; --d) {
    if (sizes[d] == 1) continue;
    if (strides[d] != expected) return false;
    if (__builtin_mul_overflow(expected, sizes[d], &expected)) return false;
  }
  return true;
}

namespace {

[[noreturn]] void no_broadcast(const Dims& a, const Dims& b, int64_t x, int64_t y, int from_right) {
  fail("shapes {} and {} do not broadcast: {} against {} in dimension {} from the right",
       to_string(a), to_string(b), x, y, from_right);
}

}  // namespace

Dims broadcast(const Dims& a, const Dims& b) {
  int rank = std::max(a.rank(), b.rank());
  Dims out(rank);
  for (int i = 1; i <= rank; ++i) {
    int64_t x = i <= a.rank() ? a[a.rank() - i] : 1;
    int64_t y = i <= b.rank() ? b[b.rank() - i] : 1;
    if (x != y && x != 1 && y != 1) no_broadcast(a, b, x, y, i - 1);
    out[rank - i] = x == 1 ? y : x;
  }
  return out;
}

Dims broadcast_known(const Dims& a, const Dims& b) {
  const Dims& longer = a.rank() >= b.rank() ? a : b;
  const Dims& shorter = a.rank() >= b.rank() ? b : a;
  const int skip = longer.rank() - shorter.rank();
  Dims out = longer;
  for (int d = 0; d < shorter.rank(); ++d) {
    const int64_t x = longer[skip + d], y = shorter[d];
    const bool both_dynamic = x < 0 && y < 0;
    if (both_dynamic) out[skip + d] = x == y ? x : -1;
    else if (x == 1 || (x < 0 && y != 1)) out[skip + d] = y;
    else if (x >= 0 && y >= 0 && x != y && y != 1)
      no_broadcast(a, b, a.rank() >= b.rank() ? x : y, a.rank() >= b.rank() ? y : x,
                   shorter.rank() - 1 - d);
  }
  return out;
}

int wrap_dim(int64_t dim, int rank) {
  int64_t limit = std::max(rank, 1);
  if (dim < -limit || dim >= limit) {
    fail("dimension {} is out of range; for rank {} it is in [{}, {}]", dim, rank, -limit,
         limit - 1);
  }
  return static_cast<int>(dim < 0 ? dim + limit : dim);
}

std::string to_string(const Dims& dims) {
  std::string out = "[";
  for (int i = 0; i < dims.rank(); ++i) out += (i ? ", " : "") + std::to_string(dims[i]);
  return out + "]";
}

}  // namespace fusillade
