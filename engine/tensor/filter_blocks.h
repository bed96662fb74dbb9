// Sums of filters (filter.h), built on gemm_blocks.h and included as it is.
//
// Lanes are filters: a tile of up to kMost adjacent results, for one or two registers of filters,
// stays in registers over a block of k. For each element of the filters its packed row is loaded,
// and each element of the image that it is multiplied by is broadcast to a register. So results in
// a row need not fill registers, and images are read in place, at any offset. Tiles are transposed
// as they are written, a row of results for each filter.
#pragma once

#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/tensor/gemm_blocks.h"

namespace fusillade {
namespace {

template <class Many, class T, int kMost>
struct Filters {
  using Vector = typename Many::Vector;
  static constexpr int kLanes = Many::kLanes;
  static constexpr int kSquares = (kMost + kLanes - 1) / kLanes;  // of a tile that is turned
  static constexpr int kHigh = kSquares * kLanes;

  // ------------------------------------------------------------------------- packing

  // Two registers of filters side by side, the last alone where their number is odd.
  static void pack(const T* filters, int64_t count, int64_t k, T* packed) {
    for (int64_t f = 0; f < count; f += 2 * kLanes) {
      const int64_t some = std::min<int64_t>(2 * kLanes, count - f);
      const int64_t row = some > kLanes ? 2 * kLanes : kLanes;
      if (some < row) std::fill_n(packed, k * row, T(0));
      Many::copy(filters + f * k, 1, k, k, some, packed, row);
      packed += k * row;
    }
  }

  // ------------------------------------------------------------------------- tiles

  // kWide results and kAcross registers of filters; sums lie kHigh rows of lanes for each register.
  template <int kAcross, int kWide>
  static void tile(int64_t k, const T* packed, const T* from, const int64_t* offsets, T* sums,
                   bool add) {
    Vector all[kWide][kAcross] = {};
    for (int64_t i = 0; i < k; ++i, packed += kAcross * kLanes) {
      const T* image = from + offsets[i];
      Vector weights[kAcross];
#pragma unroll
      for (int j = 0; j < kAcross; ++j) weights[j] = Many::load(packed + j * kLanes);
#pragma unroll
      for (int x = 0; x < kWide; ++x) {
        const Vector one = image[x] - Vector{};
#pragma unroll
        for (int j = 0; j < kAcross; ++j) all[x][j] = Many::fma(one, weights[j], all[x][j]);
      }
    }
#pragma unroll
    for (int x = 0; x < kWide; ++x) {
#pragma unroll
      for (int j = 0; j < kAcross; ++j) {
        T* to = sums + (j * kHigh + x) * kLanes;
        Many::store(to, add ? Many::load(to) + all[x][j] : all[x][j]);
      }
    }
  }

  static Vector some(const T* from, int64_t count) {
    T line[kLanes] = {};
    for (int64_t i = 0; i < count; ++i) line[i] = from[i];
    return Many::load(line);
  }

  // One register of filters: rows of lanes become rows of results.
  template <int kWide>
  static void put(const T* sums, int64_t count, const T* bias, T* to, int64_t lead) {
    const Vector begin = !bias ? Vector{} : count == kLanes ? Many::load(bias) : some(bias, count);
#pragma unroll
    for (int x = 0; x < kWide; x += kLanes) {
      Vector lines[kLanes] = {};
#pragma unroll
      for (int i = 0; i < kLanes; ++i)
        if (x + i < kWide) lines[i] = begin + Many::load(sums + (x + i) * kLanes);
      Many::transpose(lines);
      const int wide = kWide - x < kLanes ? kWide - x : kLanes;
      if (count == kLanes) {
#pragma unroll
        for (int f = 0; f < kLanes; ++f)
          std::memcpy(to + f * lead + x, lines + f, wide * sizeof(T));
      } else {
        for (int f = 0; f < count; ++f) std::memcpy(to + f * lead + x, lines + f, wide * sizeof(T));
      }
    }
  }

  // ------------------------------------------------------------------------- rows

  using Tile = void (*)(int64_t, const T*, const T*, const int64_t*, T*, bool);
  using Put = void (*)(const T*, int64_t, const T*, T*, int64_t);
  struct Kernels {
    Tile one, two;
    Put put;
  };
  template <int... kAt>
  static const Kernels& kernels(int64_t width, std::integer_sequence<int, kAt...>) {
    static constexpr Kernels kAll[] = {{&tile<1, kAt + 1>, &tile<2, kAt + 1>, &put<kAt + 1>}...};
    return kAll[width - 1];
  }

  static void row(int64_t count, int64_t k, const T* packed, const T* from, const int64_t* offsets,
                  int64_t width, const T* bias, T* to, int64_t lead) {
    alignas(64) T sums[2 * kHigh * kLanes];
    const int64_t blocks = (k + Many::kBlock - 1) / Many::kBlock;
    const int64_t tiles = (width + kMost - 1) / kMost;
    for (int64_t f = 0; f < count; f += 2 * kLanes) {
      const int64_t some = std::min<int64_t>(2 * kLanes, count - f);
      const int64_t across = some > kLanes ? 2 : 1;
      for (int64_t t = 0; t < tiles; ++t) {
        const int64_t x = width * t / tiles, wide = width * (t + 1) / tiles - x;
        for (int64_t i = 0; i < some; ++i) {
          __builtin_prefetch(to + (f + i) * lead + x, 1);
          __builtin_prefetch(to + (f + i) * lead + x + wide - 1, 1);
        }
        const Kernels& by = kernels(wide, std::make_integer_sequence<int, kMost>());
        for (int64_t b = 0; b < blocks; ++b) {
          const int64_t first = k * b / blocks, n = k * (b + 1) / blocks - first;
          (across == 2 ? by.two : by.one)(n, packed + first * across * kLanes, from + x,
                                          offsets + first, sums, b > 0);
        }
        for (int64_t j = 0; j < across; ++j) {
          const int64_t done = j * kLanes, left = std::min<int64_t>(kLanes, some - done);
          by.put(sums + done * kHigh, left, bias ? bias + f + done : nullptr,
                 to + (f + done) * lead + x, lead);
        }
      }
      packed += k * across * kLanes;
    }
  }

  // ------------------------------------------------------------------------- one filter

  // A tile of results, lanes along a row, of which the last register holds `last`.
  template <int kTall, int kAcross>
  static void patch(int64_t k, const T* filter, const T* from, const int64_t* offsets,
                    int64_t row_step, T bias, T* to, int64_t lead, int64_t last) {
    Vector all[kTall][kAcross] = {};
    for (int64_t i = 0; i < k; ++i) {
      const Vector weight = filter[i] - Vector{};
      const T* image = from + offsets[i];
#pragma unroll
      for (int y = 0; y < kTall; ++y) {
#pragma unroll
        for (int j = 0; j < kAcross; ++j)
          all[y][j] = Many::fma(Many::load(image + y * row_step + j * kLanes), weight, all[y][j]);
      }
    }
#pragma unroll
    for (int y = 0; y < kTall; ++y, to += lead) {
#pragma unroll
      for (int j = 0; j < kAcross; ++j) {
        const Vector line = all[y][j] + bias;
        if (j + 1 < kAcross || last == kLanes) Many::store(to + j * kLanes, line);
        else store_some(to + j * kLanes, line, last);
      }
    }
  }
  static void store_some(T* to, Vector v, int64_t count) {
    T line[kLanes];
    Many::store(line, v);
    const T* from = line;
    for (int64_t half = kLanes / 2; half > 0; half /= 2) {
      if (!(count & half)) continue;
      for (int64_t i = 0; i < half; ++i) to[i] = from[i];
      to += half, from += half;
    }
  }

  // Tiles of kAcross adjacent registers and kTall rows. Where rows or columns are left, the last
  // tile overlaps the one before it and computes the same results.
  template <int kTall, int kAcross>
  static void patches(int64_t k, const T* filter, const T* from, const int64_t* offsets,
                      int64_t rows, int64_t row_step, int64_t width, T bias, T* to, int64_t lead) {
    constexpr int64_t kColumns = kAcross * kLanes;
    const int64_t last = std::min<int64_t>(width - (kAcross - 1) * kLanes, kLanes);
    for (int64_t y = 0; y < rows; y += kTall) {
      const int64_t row = rows < kTall ? y : std::min(y, rows - kTall);
      for (int64_t x = 0; x < width; x += kColumns) {
        const int64_t column = std::max<int64_t>(std::min(x, width - kColumns), 0);
        patch<kTall, kAcross>(k, filter, from + row * row_step + column, offsets, row_step, bias,
                              to + row * lead + column, lead, last);
      }
    }
  }

  static void plane(int64_t k, const T* filter, const T* from, const int64_t* offsets, int64_t rows,
                    int64_t row_step, int64_t width, T bias, T* to, int64_t lead) {
    const auto by = width > 3 * kLanes ? (rows >= 2 ? &patches<2, 4> : &patches<1, 4>)
                    : width > kLanes   ? (rows >= 4 ? &patches<4, 2> : &patches<1, 2>)
                    : rows >= 8        ? &patches<8, 1>
                    : rows >= 4        ? &patches<4, 1>
                                       : &patches<1, 1>;
    by(k, filter, from, offsets, rows, row_step, width, bias, to, lead);
  }
};

}  // namespace
}  // namespace fusillade
