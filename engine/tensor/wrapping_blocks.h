// Products of matrices of integers that wrap, written once for registers of any size; a file for an
// instruction set includes this between the words that ask the compiler for it.
//
// A tile of the result, kHigh rows and two registers wide, stays in registers while all of k
// passes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "engine/tensor/matrix.h"

namespace fusillade {
namespace {

// U: uint32_t or uint64_t.
template <class U, int kBytes>
struct WrappingBlocks {
  typedef U Vector __attribute__((vector_size(kBytes)));
  static constexpr int kAcross = 2;  // registers
  static constexpr int kHigh = kBytes == 64 ? 8 : 4;
  static constexpr int64_t kLanes = kBytes / sizeof(U);
  static constexpr int64_t kWide = kAcross * kLanes;  // elements

  // kRows rows of the result from row i on, kWide columns of it; rows of `b` have stride b_row.
  template <int kRows>
  static void tile(const MatrixIn<U>& a, int64_t i, const U* b, int64_t b_row, U* c,
                   int64_t c_row) {
    Vector sums[kRows][kAcross] = {};
    const U* factors = a.data + i * a.row_stride;
    for (int64_t x = 0; x < a.columns; ++x, b += b_row, factors += a.column_stride) {
      Vector row[kAcross];
      std::memcpy(row, b, sizeof row);
      for (int h = 0; h < kRows; ++h)
        for (int v = 0; v < kAcross; ++v) sums[h][v] += factors[h * a.row_stride] * row[v];
    }
    for (int h = 0; h < kRows; ++h) std::memcpy(c + h * c_row, sums[h], sizeof sums[h]);
  }

  static void panel(const MatrixIn<U>& a, const U* b, int64_t b_row, U* c, int64_t c_row) {
    int64_t i = 0;
    for (; i + kHigh <= a.rows; i += kHigh) tile<kHigh>(a, i, b, b_row, c + i * c_row, c_row);
    for (; i < a.rows; ++i) tile<1>(a, i, b, b_row, c + i * c_row, c_row);
  }

  // c[a.rows, columns], contiguous, = a @ b, whose rows have stride b_row.
  static void run(const MatrixIn<U>& a, const U* b, int64_t b_row, int64_t columns, U* c) {
    int64_t j = 0;
    for (; j + kWide <= columns; j += kWide) panel(a, b + j, b_row, c + j, columns);
    if (j == columns) return;
    const int64_t rest = columns - j;
    std::vector<U> padded(static_cast<size_t>(a.columns * kWide));
    std::vector<U> out(static_cast<size_t>(a.rows * kWide));
    for (int64_t x = 0; x < a.columns; ++x)
      std::copy_n(b + x * b_row + j, rest, padded.data() + x * kWide);
    panel(a, padded.data(), kWide, out.data(), kWide);
    for (int64_t i = 0; i < a.rows; ++i)
      std::copy_n(out.data() + i * kWide, rest, c + i * columns + j);
  }
};

}  // namespace
}  // namespace fusillade
