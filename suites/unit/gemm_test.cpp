// Our product of matrices: right at every layout and size of tile, and its bits are the same
// however the result is cut.
#include "engine/tensor/gemm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <type_traits>
#include <vector>

namespace fusillade {
namespace {

template <class T>
std::vector<T> numbers(int64_t n, unsigned seed) {
  std::vector<T> all(static_cast<size_t>(n));
  for (T& v : all) {
    seed = seed * 1664525u + 1013904223u;
    v = static_cast<T>(seed >> 8) / T(1 << 23) - T(1);
  }
  return all;
}

template <class T>
struct Case {
  std::vector<T> left, right;
  MatrixIn<T> a, b;
  Case(int64_t m, int64_t n, int64_t k, bool turned_a, bool turned_b, int64_t gap)
      : left(numbers<T>((m + gap) * (k + gap), 1)), right(numbers<T>((k + gap) * (n + gap), 2)) {
    a = {left.data(), m, k, turned_a ? 1 : k + gap, turned_a ? m + gap : 1};
    b = {right.data(), k, n, turned_b ? 1 : n + gap, turned_b ? k + gap : 1};
  }
  T left_at(int64_t i, int64_t p) const { return a.data[i * a.row_stride + p * a.column_stride]; }
  T right_at(int64_t p, int64_t j) const { return b.data[p * b.row_stride + j * b.column_stride]; }
};

template <class T>
using Product = std::function<void(const MatrixIn<T>&, const MatrixIn<T>&, T*, int64_t, bool)>;

// Both ways under the instruction sets that this machine has; `few` where the layout suits it.
template <class T>
std::vector<Product<T>> all_runs(bool turned_b) {
  std::vector<const Gemm<T>*> sets;
  if (gemm_kernels<T>()) sets.push_back(gemm_kernels<T>());
#if defined(__x86_64__) && defined(__clang__)
  const void* older = std::is_same_v<T, float> ? static_cast<const void*>(&avx2::kFloats)
                                               : static_cast<const void*>(&avx2::kDoubles);
  if (gemm_kernels<T>() && gemm_kernels<T>() != older)
    sets.push_back(static_cast<const Gemm<T>*>(older));
#endif
  std::vector<Product<T>> all;
  for (const Gemm<T>* set : sets) {
    all.push_back(set->many);
    if (turned_b)
      all.push_back([set](const MatrixIn<T>& a, const MatrixIn<T>& b, T* c, int64_t lead,
                          bool add) { set->few(a, b, c, lead, 1, add); });
  }
  return all;
}

template <class T>
void check(const Case<T>& of, const Product<T>& run) {
  const int64_t m = of.a.rows, n = of.b.columns, k = of.a.columns, lead = n + 3;
  std::vector<T> c(static_cast<size_t>(m * lead), std::numeric_limits<T>::quiet_NaN());
  std::vector<T> onto(static_cast<size_t>(m * lead), T(7));
  run(of.a, of.b, c.data(), lead, false);
  run(of.a, of.b, onto.data(), lead, true);
  const double unit = std::numeric_limits<T>::epsilon();
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < lead; ++j) {
      const size_t at = static_cast<size_t>(i * lead + j);
      if (j >= n) {
        ASSERT_TRUE(std::isnan(c[at])) << "written beside the result";
        ASSERT_EQ(onto[at], T(7)) << "written beside the result";
        continue;
      }
      long double sum = 0, size = 0;
      for (int64_t p = 0; p < k; ++p) {
        const long double product = static_cast<long double>(of.left_at(i, p)) * of.right_at(p, j);
        sum += product;
        size += std::fabs(product);
      }
      const double bound = unit * static_cast<double>(k + 1) * static_cast<double>(size);
      ASSERT_NEAR(c[at], static_cast<double>(sum), bound) << m << 'x' << n << 'x' << k;
      ASSERT_NEAR(onto[at], static_cast<double>(sum + 7), bound + 8 * unit);
    }
  }
}

template <class T>
void check_sizes() {
  const int64_t sizes[][3] = {{1, 1, 1},    {1, 33, 5},    {3, 15, 7},    {5, 16, 16},
                              {14, 32, 40}, {15, 31, 31},  {29, 129, 33}, {47, 7, 64},
                              {6, 160, 17}, {30, 64, 300}, {2, 40, 600},  {70, 20, 530},
                              {4, 4, 1100}, {600, 18, 3},  {28, 192, 64}};
  for (const auto& s : sizes) {
    for (int layout = 0; layout < 8; ++layout) {
      for (const Product<T>& run : all_runs<T>(layout & 2))
        check(Case<T>(s[0], s[1], s[2], layout & 1, layout & 2, layout & 4 ? 3 : 0), run);
    }
  }
}

TEST(Gemm, IsRightAtEveryLayoutAndSize) {
  check_sizes<float>();
  check_sizes<double>();
}

TEST(Gemm, NaNAndInfinityPass) {
  Case<float> of(20, 40, 70, false, true, 0);
  of.left[70 * 3 + 5] = std::numeric_limits<float>::infinity();
  of.right[70 * 7 + 9] = std::numeric_limits<float>::quiet_NaN();
  for (const Product<float>& run : all_runs<float>(true)) {
    std::vector<float> c(20 * 40);
    run(of.a, of.b, c.data(), 40, false);
    for (size_t i = 0; i < 20; ++i) {
      for (size_t j = 0; j < 40; ++j)
        EXPECT_EQ(std::isfinite(c[i * 40 + j]), i != 3 && j != 7) << i << ' ' << j;
    }
  }
}

// The part of the result from (i, j) on, computed alone.
template <class T>
std::vector<T> part(const Case<T>& of, int64_t i, int64_t j, int64_t rows, int64_t columns,
                    const Product<T>& run) {
  MatrixIn<T> a = of.a, b = of.b;
  a.data += i * a.row_stride, a.rows = rows;
  b.data += j * b.column_stride, b.columns = columns;
  std::vector<T> c(static_cast<size_t>(rows * columns), T(1));
  run(a, b, c.data(), columns, true);
  return c;
}

template <class T>
void check_cuts() {
  for (int layout = 0; layout < 4; ++layout) {
    for (const Product<T>& run : all_runs<T>(layout & 2)) {
      Case<T> of(61, 150, 1300, layout & 1, layout & 2, 0);
      const std::vector<T> whole = part(of, 0, 0, 61, 150, run);
      const int64_t cuts[][4] = {{0, 0, 1, 1},    {60, 149, 1, 1}, {5, 20, 1, 130},
                                 {13, 3, 48, 1},  {7, 11, 40, 37}, {30, 16, 2, 64},
                                 {0, 64, 61, 86}, {17, 0, 3, 150}};
      for (const auto& [i, j, rows, columns] : cuts) {
        const std::vector<T> c = part(of, i, j, rows, columns, run);
        for (int64_t x = 0; x < rows; ++x) {
          for (int64_t y = 0; y < columns; ++y)
            ASSERT_EQ(c[static_cast<size_t>(x * columns + y)],
                      whole[static_cast<size_t>((i + x) * 150 + j + y)]);
        }
      }
    }
  }
}

TEST(Gemm, BitsAreTheSameHoweverTheResultIsCut) {
  check_cuts<float>();
  check_cuts<double>();
}

}  // namespace
}  // namespace fusillade
