// Lines of a tensor along one dimension, in which each element is combined with all that come
// before it: sums and products so far.
//
// The accumulator is wider than what is stored, and rounded only on a store: double for float32,
// float for halves, as in PyTorch's kernels of the cpu. Several lines are scanned side by side, so
// that no step waits for the one before it.
#pragma once

#include <algorithm>

#include "engine/tensor/block.h"
#include "engine/tensor/domain.h"
#include "engine/tensor/tensor.h"

namespace fusillade {

// The accumulator's type for a sum or product so far of such elements.
inline DType accumulate_dtype(DType dtype) {
  if (!is_float(dtype)) return DType::I64;
  return dtype == DType::F16 || dtype == DType::BF16 ? DType::F32 : DType::F64;
}

// n steps along N lines, whose starts are `stride` elements from each other.
template <int64_t N, class A, class S, class F>
void scan_some(const S* from, S* to, int64_t n, int64_t stride, F combine) {
  A running[N];
  for (int64_t k = 0; k < N; ++k) running[k] = static_cast<A>(to[k * stride] = from[k * stride]);
  for (int64_t i = 1; i < n; ++i) {
    for (int64_t k = 0; k < N; ++k) {
      running[k] = combine(running[k], static_cast<A>(from[k * stride + i]));
      to[k * stride + i] = static_cast<S>(running[k]);
    }
  }
}

// S: the type of stored elements; A: the accumulator's.
template <class A, class S, class F>
void scan_elements(const S* from, S* to, const Dims& sizes, int d, F combine) {
  int64_t length = sizes.rank() ? sizes[d] : 1, step = 1, outer = 1;
  for (int k = d + 1; k < sizes.rank(); ++k) step *= sizes[k];
  for (int k = 0; k < d; ++k) outer *= sizes[k];
  if (outer * length * step == 0) return;
  if (step == 1) {
    constexpr int64_t kSide = 4;
    int64_t o = 0;
    for (; o + kSide <= outer; o += kSide)
      scan_some<kSide, A>(from + o * length, to + o * length, length, length, combine);
    for (; o < outer; ++o)
      scan_some<1, A>(from + o * length, to + o * length, length, length, combine);
    return;
  }
  A running[kBlock];
  for (int64_t o = 0; o < outer; ++o, from += length * step, to += length * step) {
    for (int64_t c = 0; c < step; c += kBlock) {
      const int64_t n = std::min(kBlock, step - c);
      for (int64_t j = 0; j < n; ++j) running[j] = static_cast<A>(to[c + j] = from[c + j]);
      for (int64_t at = step + c; at < length * step; at += step) {
        for (int64_t j = 0; j < n; ++j) {
          running[j] = combine(running[j], static_cast<A>(from[at + j]));
          to[at + j] = static_cast<S>(running[j]);
        }
      }
    }
  }
}

// Of self as `dtype`, along d.
template <class F>
Tensor scan_lines(const Tensor& self, DType dtype, int d, F combine) {
  const bool ring = current_domain() == Domain::Ring;
  const bool narrow = dtype == DType::F32 && !ring;
  const DType accumulate = accumulate_dtype(dtype);
  Tensor from = self.dtype() == dtype ? self : to_dtype(self, dtype);
  from = dtype == accumulate || narrow ? contiguous(from) : contiguous(to_dtype(from, accumulate));
  const Tensor out = Tensor::empty(self.sizes(), from.dtype());
  const auto scan = [&]<class A, class S>(A, S) {
    scan_elements<A>(from.data<const S>(), out.data<S>(), self.sizes(), d, combine);
  };
  if (narrow) scan(double{}, float{});
  else if (accumulate == DType::I64) scan(int64_t{}, int64_t{});
  else if (accumulate == DType::F64) ring ? scan(uint64_t{}, uint64_t{}) : scan(double{}, double{});
  else ring ? scan(uint32_t{}, uint32_t{}) : scan(float{}, float{});
  return out.dtype() == dtype ? out : to_dtype(out, dtype);
}

}  // namespace fusillade
