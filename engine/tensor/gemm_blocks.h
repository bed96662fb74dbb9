// The blocks of gemm.h, written once for registers of any size; a file for an instruction set
// includes this between the words that ask the compiler for it.
//
// A tile of the result, kRows high and at most two registers wide, stays in registers over a block
// of k: for each k a row of `b` is loaded, and each element of a column of `a` is broadcast to a
// register and multiplied. A block of `a` is copied into rows of stride kCopyStride, so that their
// offsets are constants in the code. A panel of `b`, as wide as a tile, is read in place if few
// tiles use it. Else it is copied, transposed in registers where needed, and used by all tiles of
// the block of `a` while it is in the innermost caches.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "engine/tensor/matrix.h"
#include "engine/tensor/memory_pool.h"

namespace fusillade {
namespace {

template <class T, int kBytes>
struct Register {
  typedef T Vector __attribute__((vector_size(kBytes)));
};

template <class T, int kBytes, int kRows>
struct Blocks {
  using Vector = typename Register<T, kBytes>::Vector;
  static constexpr int kLanes = kBytes / static_cast<int>(sizeof(T));
  static constexpr int kWide = 2;                                  // registers across a tile
  static constexpr int64_t kColumns = kWide * kLanes;              // elements
  static constexpr int64_t kBlock = 2048 / sizeof(T);              // of k
  static constexpr int64_t kCopyStride = kBlock + 64 / sizeof(T);  // rows of the copy of `a`
  static constexpr int64_t kLines = 1 << 9;                        // rows of `a` copied at a time
  static constexpr int64_t kPanels = 4;     // copied together, so that rows of `b` are read in runs
  static constexpr int64_t kTogether = 16;  // rows of them
  static constexpr int64_t kFewTiles = 2;
  static constexpr int64_t kMaxStride = 4096 / sizeof(T);

  static Vector load(const T* from) {
    Vector v;
    std::memcpy(&v, from, sizeof v);
    return v;
  }
  static void store(T* to, Vector v) { std::memcpy(to, &v, sizeof v); }
  static Vector fma(Vector a, Vector b, Vector c) {
#if __has_builtin(__builtin_elementwise_fma)
    return __builtin_elementwise_fma(a, b, c);
#else
    for (int i = 0; i < kLanes; ++i) c[i] = __builtin_fma(a[i], b[i], c[i]);
    return c;
#endif
  }

  // ------------------------------------------------------------------------- tiles

  // Rows of `a` have stride kCopyStride, of `b` b_row; `columns` of the tile are stored.
  template <int kHigh, int kAcross>
  static void tile(int64_t k, const T* a, const T* b, int64_t b_row, T* c, int64_t lead,
                   int64_t columns, bool add) {
    Vector sums[kHigh][kAcross] = {};
    for (int64_t p = 0; p < k; ++p, b += b_row) {
      Vector right[kAcross];
#pragma unroll
      for (int j = 0; j < kAcross; ++j) right[j] = load(b + j * kLanes);
#pragma unroll
      for (int i = 0; i < kHigh; ++i) {
        const Vector left = a[i * kCopyStride + p] - Vector{};
#pragma unroll
        for (int j = 0; j < kAcross; ++j) sums[i][j] = fma(left, right[j], sums[i][j]);
      }
    }
    if (columns == kAcross * kLanes) {
#pragma unroll
      for (int i = 0; i < kHigh; ++i, c += lead) {
#pragma unroll
        for (int j = 0; j < kAcross; ++j)
          store(c + j * kLanes, add ? load(c + j * kLanes) + sums[i][j] : sums[i][j]);
      }
      return;
    }
#pragma unroll
    for (int i = 0; i < kHigh; ++i, c += lead) {
      T line[kAcross * kLanes];
#pragma unroll
      for (int j = 0; j < kAcross; ++j) store(line + j * kLanes, sums[i][j]);
      for (int64_t j = 0; j < columns; ++j) c[j] = add ? c[j] + line[j] : line[j];
    }
  }

  using Tile = void (*)(int64_t, const T*, const T*, int64_t, T*, int64_t, int64_t, bool);
  template <int kAcross, int... kHigh>
  static Tile tile_of(int64_t rows, std::integer_sequence<int, kHigh...>) {
    static constexpr Tile kAll[] = {&tile<kHigh + 1, kAcross>...};
    return kAll[rows - 1];
  }
  static Tile tile_of(int64_t rows, int64_t columns) {
    using Heights = std::make_integer_sequence<int, kRows>;
    return columns > kLanes ? tile_of<2>(rows, Heights()) : tile_of<1>(rows, Heights());
  }

  // ------------------------------------------------------------------------- copies

  // Of two registers: from each 16 bytes of both a half (kHalf), their elements by turns.
  template <int kHalf, int... kAt>
  static Vector interleave(Vector a, Vector b, std::integer_sequence<int, kAt...>) {
    constexpr int kSome = 16 / static_cast<int>(sizeof(T));
    return __builtin_shufflevector(
        a, b, (kAt / kSome * kSome + kHalf * kSome / 2 + kAt % kSome / 2 + kAt % 2 * kLanes)...);
  }
  // Of two registers: every second 16 bytes of `a`, from kHalf on, then of `b`.
  template <int kHalf, int... kAt>
  static Vector by_pieces(Vector a, Vector b, std::integer_sequence<int, kAt...>) {
    constexpr int kSome = 16 / static_cast<int>(sizeof(T)), kEach = kLanes / 2;
    return __builtin_shufflevector(
        a, b,
        (kAt % kEach / kSome * 2 * kSome + kHalf * kSome + kAt % kSome + kAt / kEach * kLanes)...);
  }

  // Swaps halves of lines at distance kBit: exchanges a bit of the line's number with the lane's.
  template <int kBit>
  static void exchange_bit(Vector* lines) {
    constexpr auto kAll = std::make_integer_sequence<int, kLanes>();
    constexpr bool kWithin = kBit * sizeof(T) < 16;
#pragma unroll
    for (int i = 0; i < kLanes; ++i) {
      if (i & kBit) continue;
      const Vector a = lines[i], b = lines[i | kBit];
      lines[i] = kWithin ? interleave<0>(a, b, kAll) : by_pieces<0>(a, b, kAll);
      lines[i | kBit] = kWithin ? interleave<1>(a, b, kAll) : by_pieces<1>(a, b, kAll);
    }
  }

  // Transposes a square of kLanes lines: first within 16 bytes, the highest bit first, then across.
  static void transpose(Vector* lines) {
    if constexpr (sizeof(T) == 4) exchange_bit<2>(lines);
    exchange_bit<1>(lines);
    constexpr int kFirst = 16 / static_cast<int>(sizeof(T));
    if constexpr (kFirst < kLanes) exchange_bit<kFirst>(lines);
    if constexpr (2 * kFirst < kLanes) exchange_bit<2 * kFirst>(lines);
  }

  // to[j * to_row + i] = from[i * from_row + j].
  static void transpose_square(const T* from, int64_t from_row, T* to, int64_t to_row) {
    Vector lines[kLanes];
#pragma unroll
    for (int i = 0; i < kLanes; ++i) lines[i] = load(from + i * from_row);
    transpose(lines);
#pragma unroll
    for (int i = 0; i < kLanes; ++i) store(to + i * to_row, lines[i]);
  }

  static void copy(const T* from, int64_t row, int64_t column, int64_t rows, int64_t columns, T* to,
                   int64_t to_row) {
    if (column == 1) {
      for (int64_t i = 0; i < rows; ++i, from += row, to += to_row) {
        int64_t j = 0;
        for (; j + kLanes <= columns; j += kLanes) store(to + j, load(from + j));
        for (; j < columns; ++j) to[j] = from[j];
      }
      return;
    }
    int64_t whole_rows = 0, whole_columns = 0;
    if (row == 1) {
      whole_rows = rows / kLanes * kLanes, whole_columns = columns / kLanes * kLanes;
      for (int64_t j = 0; j < whole_columns; j += kLanes)
        for (int64_t i = 0; i < whole_rows; i += kLanes)
          transpose_square(from + i + j * column, column, to + i * to_row + j, to_row);
    }
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = i < whole_rows ? whole_columns : 0; j < columns; ++j)
        to[i * to_row + j] = from[i * row + j * column];
    }
  }

  // ------------------------------------------------------------------------- the product

  // Whether panels of `b` are read in place: where few tiles use each, all of a panel's rows are
  // close together, and it is as wide as its registers.
  static bool in_place(const MatrixIn<T>& b, int64_t tiles, int64_t columns) {
    return b.column_stride == 1 && columns % kLanes == 0 && tiles <= kFewTiles &&
           b.row_stride <= kMaxStride;
  }

  // Panels of one block of k, `columns` in all; each fills kBlock * kColumns.
  static void copy_panels(const T* from, const MatrixIn<T>& b, int64_t k, int64_t columns,
                          T* panels) {
    const int64_t together = b.column_stride == 1 ? kTogether : k;
    for (int64_t p = 0; p < k; p += together) {
      const int64_t rows = std::min(together, k - p);
      for (int64_t j = 0; j < columns; j += kColumns) {
        const int64_t wide = std::min(kColumns, columns - j), row = row_of(wide);
        T* to = panels + j * kBlock + p * row;
        if (wide % kLanes != 0) std::fill_n(to, rows * row, T(0));
        copy(from + p * b.row_stride + j * b.column_stride, b.row_stride, b.column_stride, rows,
             wide, to, row);
      }
    }
  }
  static int64_t row_of(int64_t columns) { return columns > kLanes ? kColumns : kLanes; }

  // One block of k. `lines` has a's rows, at stride kCopyStride; `panels` has room for kPanels
  // panels.
  static void block(int64_t rows, int64_t k, const T* lines, const MatrixIn<T>& b, int64_t first,
                    T* panels, T* c, int64_t lead, bool add) {
    const int64_t tiles = (rows + kRows - 1) / kRows;
    for (int64_t done = 0, some = 0; done < b.columns; done += some) {
      some = std::min(kPanels * kColumns, b.columns - done);
      const T* from = b.data + first * b.row_stride + done * b.column_stride;
      const bool direct = in_place(b, tiles, some);
      if (!direct) copy_panels(from, b, k, some, panels);
      for (int64_t j = 0; j < some; j += kColumns) {
        const int64_t columns = std::min(kColumns, some - j);
        const T* right = direct ? from + j : panels + j * kBlock;
        const int64_t row = direct ? b.row_stride : row_of(columns);
        for (int64_t t = 0; t < tiles; ++t) {
          const int64_t i = rows * t / tiles, high = rows * (t + 1) / tiles - i;
          tile_of(high, columns)(k, lines + i * kCopyStride, right, row, c + i * lead + done + j,
                                 lead, columns, add);
        }
      }
    }
  }

  static void run(const MatrixIn<T>& a, const MatrixIn<T>& b, T* c, int64_t lead, bool add) {
    const int64_t k = a.columns, blocks = (k + kBlock - 1) / kBlock;
    const int64_t lines = std::min(a.rows, kLines);
    Scratch<T> memory(static_cast<size_t>(lines * kCopyStride + kPanels * kBlock * kColumns));
    T* panels = memory.data();
    T* copied = panels + kPanels * kBlock * kColumns;
    for (int64_t x = 0; x < blocks; ++x) {
      const int64_t first = k * x / blocks, count = k * (x + 1) / blocks - first;
      for (int64_t i = 0; i < a.rows; i += kLines) {
        const int64_t rows = std::min(kLines, a.rows - i);
        copy(a.data + i * a.row_stride + first * a.column_stride, a.row_stride, a.column_stride,
             rows, count, copied, kCopyStride);
        block(rows, count, copied, b, first, panels, c + i * lead, lead, add || x > 0);
      }
    }
  }
};

}  // namespace
}  // namespace fusillade
