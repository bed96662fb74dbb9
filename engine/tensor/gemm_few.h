// Products of few rows, built on gemm_blocks.h and included as it is: rows of `a` times contiguous
// columns of `b`, read in place.
//
// Four columns at a time are multiplied by up to four rows. Lanes are summed separately over all of
// k, then added up by halves, so that the order depends on k alone.
#pragma once

#include <algorithm>

#include "engine/tensor/gemm_blocks.h"

namespace fusillade {
namespace {

template <class Many, class T>
struct Few {
  using Vector = typename Many::Vector;
  static constexpr int kLanes = Many::kLanes;
  static constexpr int64_t kAhead = 2048 / sizeof(T);  // fetched before it is read

  static T total(Vector v) {
    T line[kLanes];
    Many::store(line, v);
    for (int half = kLanes / 2; half > 0; half /= 2) {
      for (int i = 0; i < half; ++i) line[i] += line[i + half];
    }
    return line[0];
  }

  static Vector load_some(const T* from, int64_t count) {
    T line[kLanes] = {};
    for (int64_t i = 0; i < count; ++i) line[i] = from[i];
    return Many::load(line);
  }

  // kHigh rows of `a` with kAcross columns of `b`, all contiguous, at strides a_row and b_column.
  template <int kHigh, int kAcross>
  static void dots(int64_t k, const T* a, int64_t a_row, const T* b, int64_t b_column, T* c,
                   int64_t lead, int64_t step, bool add) {
    Vector sums[kHigh][kAcross] = {};
    for (int64_t p = 0; p < k; p += kLanes) {
      const bool whole = p + kLanes <= k;
      Vector right[kAcross];
#pragma unroll
      for (int j = 0; j < kAcross; ++j) {
        const T* from = b + j * b_column + p;
        __builtin_prefetch(from + kAhead);
        right[j] = whole ? Many::load(from) : load_some(from, k - p);
      }
#pragma unroll
      for (int i = 0; i < kHigh; ++i) {
        const T* from = a + i * a_row + p;
        const Vector left = whole ? Many::load(from) : load_some(from, k - p);
#pragma unroll
        for (int j = 0; j < kAcross; ++j) sums[i][j] = Many::fma(left, right[j], sums[i][j]);
      }
    }
#pragma unroll
    for (int i = 0; i < kHigh; ++i) {
#pragma unroll
      for (int j = 0; j < kAcross; ++j) {
        T& to = c[i * lead + j * step];
        to = add ? to + total(sums[i][j]) : total(sums[i][j]);
      }
    }
  }

  using Kernel = void (*)(int64_t, const T*, int64_t, const T*, int64_t, T*, int64_t, int64_t,
                          bool);
  static Kernel of(int64_t rows, int64_t columns) {
    static constexpr Kernel kAll[4][2] = {{&dots<1, 1>, &dots<1, 4>},
                                          {&dots<2, 1>, &dots<2, 4>},
                                          {&dots<3, 1>, &dots<3, 4>},
                                          {&dots<4, 1>, &dots<4, 4>}};
    return kAll[rows - 1][columns == 4];
  }

  static void run(const MatrixIn<T>& a, const MatrixIn<T>& b, T* c, int64_t lead, int64_t step,
                  bool add) {
    Scratch<T> lines;
    const T* left = a.data;
    int64_t row = a.row_stride;
    if (a.column_stride != 1 && a.columns > 1) {
      lines.resize(static_cast<size_t>(a.rows * a.columns));
      Many::copy(left, a.row_stride, a.column_stride, a.rows, a.columns, lines.data(), a.columns);
      left = lines.data(), row = a.columns;
    }
    for (int64_t j = 0, wide = 0; j < b.columns; j += wide) {
      wide = b.columns - j >= 4 ? 4 : 1;
      for (int64_t i = 0, high = 0; i < a.rows; i += high) {
        high = std::min<int64_t>(4, a.rows - i);
        of(high, wide)(a.columns, left + i * row, row, b.data + j * b.column_stride,
                       b.column_stride, c + i * lead + j * step, lead, step, add);
      }
    }
  }
};

}  // namespace
}  // namespace fusillade
