// Folding a line of numbers into one, in one order whatever the line's layout:
//
//   element i goes to accumulator i % kWays, one after another, for a stretch of kStretch elements;
//   the accumulators of stretches are combined in pairs, those of pairs in pairs, and so on;
//   the last kWays accumulators are combined in halves (of an odd number the last one waits).
//
// So the error of a sum grows with the logarithm of the count, and each step is one instruction
// over registers: `Fold` along a contiguous line, `fold_lines` across lines that lie side by side.
#pragma once

#include <cstring>
#include <vector>

#include "engine/ops/formula.h"

namespace fusillade {

inline constexpr int64_t kWays = 32;
inline constexpr int64_t kStretch = 64 * kWays;

// One formula of two operands along contiguous numbers of the compute type.
struct Fold {
  // acc[0 .. min(n, kWays)) of one stretch, n <= kStretch.
  void (*stretch[kNumDomains][kNumModels])(const void* x, int64_t n, void* acc) = {};
  // acc[0] from acc[0 .. m), m >= 1.
  void (*halve[kNumDomains][kNumModels])(void* acc, int64_t m) = {};
};

namespace fold {

// A register of the compute type T: N is Lanes<T>, or one number of another model.
template <class N>
inline constexpr int64_t kPerRegister = 1;
template <class T, int kBytes>
inline constexpr int64_t kPerRegister<Lanes<T, kBytes>> = Lanes<T, kBytes>::kCount;

template <class N, class T, class F>
void stretch(const void* from, int64_t n, void* to) {
  constexpr int64_t kEach = kPerRegister<N>, kRegisters = kWays / kEach;
  const T* x = static_cast<const T*>(from);
  T* acc = static_cast<T*>(to);
  F f;
  if (n < kWays) {
    std::memcpy(acc, x, static_cast<size_t>(n) * sizeof(T));
    return;
  }
  auto load = [&](const T* at) {
    N r;
    std::memcpy(&r.v, at, sizeof r.v);
    return r;
  };
  N way[kRegisters];
  for (int64_t k = 0; k < kRegisters; ++k) way[k] = load(x + k * kEach);
  int64_t i = kWays;
  for (; i + kWays <= n; i += kWays) {
    for (int64_t k = 0; k < kRegisters; ++k) way[k] = f(way[k], load(x + i + k * kEach));
  }
  for (int64_t k = 0; k < kRegisters; ++k) std::memcpy(acc + k * kEach, &way[k].v, sizeof way[k].v);
  using One = std::conditional_t<std::is_unsigned_v<T>, Ring<T>, Native<T>>;
  for (int64_t j = 0; i + j < n; ++j) acc[j] = f(One::of(acc[j]), One::of(x[i + j])).v;
}

// Lane 0 of the lanes combined in halves.
template <int kHalf, class N, class F>
N halve_lanes(N r, F f) {
  N other = r;
  for (int i = 0; i < N::kCount; ++i) other.v[i] = r.v[(i + kHalf) % N::kCount];
  r = f(r, other);
  if constexpr (kHalf > 1) return halve_lanes<kHalf / 2>(r, f);
  else return r;
}

template <class N, class T, class F>
void halve(void* values, int64_t m) {
  using One = std::conditional_t<std::is_unsigned_v<T>, Ring<T>, Native<T>>;
  constexpr int64_t kEach = kPerRegister<N>;
  T* acc = static_cast<T*>(values);
  F f;
  if constexpr (kEach > 1) {
    if (m == kWays) {
      N r[kWays / kEach];
      std::memcpy(r, acc, sizeof r);
      for (int64_t half = kWays / kEach / 2; half > 0; half /= 2) {
        for (int64_t k = 0; k < half; ++k) r[k] = f(r[k], r[half + k]);
      }
      acc[0] = halve_lanes<kEach / 2>(r[0], f).v[0];
      return;
    }
  }
  while (m > 1) {
    int64_t half = m / 2;
    for (int64_t j = 0; j < half; ++j) acc[j] = f(One::of(acc[j]), One::of(acc[half + j])).v;
    if (m % 2) acc[half] = acc[m - 1];
    m = half + m % 2;
  }
}

template <class N, class T, class F>
void fill(Fold& out, int domain, Model model) {
  out.stretch[domain][static_cast<int>(model)] = &stretch<N, T, F>;
  out.halve[domain][static_cast<int>(model)] = &halve<N, T, F>;
}

}  // namespace fold

template <class F>
Fold fold_of(F) {
  Fold out;
  fold::fill<Lanes<float>, float, F>(out, 0, Model::F32);
  fold::fill<Lanes<double>, double, F>(out, 0, Model::F64);
  fold::fill<Ring<uint32_t>, uint32_t, F>(out, 1, Model::F32);
  fold::fill<Ring<uint64_t>, uint64_t, F>(out, 1, Model::F64);
  for (int domain : {0, 1}) fold::fill<NativeInt, int64_t, F>(out, domain, Model::I64);
  return out;
}

// Lines side by side: `lines` of them, n elements each, of any dtype that widens to T. Element i of
// line c is c * side elements after i * step, or after offsets[i] if there is a table. A line may
// consist of contiguous runs of `run` elements: then the table holds the start of each run.
struct Lines {
  DType dtype = DType::F32;
  const uint8_t* memory = nullptr;
  int64_t n = 0, step = 0, lines = 0, side = 0;
  const int64_t* offsets = nullptr;
  int64_t run = 1;
};

// The most lines that are folded in one pass.
inline constexpr int64_t kFoldLines = 256;

// out[c] for each line, n >= 1. `room` is memory that later calls use again.
template <class T>
void fold_lines(const Lines& in, NativeLoop combine, std::vector<T>& room, T* out);
// The same of one line whose elements are neighbours (step 1), or runs of them.
template <class T>
T fold_line(const Lines& in, NativeLoop combine, const Fold& fold);

}  // namespace fusillade
