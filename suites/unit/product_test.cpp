// Products of matrices at every layout that BLAS reads, against the sums written out.
#include "engine/tensor/product.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#include "engine/ops/call.h"
#include "engine/tensor/blas_kernels.h"
#include "engine/tensor/gemm.h"
#include "engine/tensor/iterate.h"
#include "engine/tensor/wrapping_blocks.h"

namespace fusillade {
namespace {

TEST(Product, KernelsAreNoOlderThanTheProcessor) {
  if (std::getenv("OPENBLAS_CORETYPE")) GTEST_SKIP() << "somebody chose";
  EXPECT_NE(blas_kernels(), "");
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    EXPECT_NE(blas_kernels(), "Prescott");
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"))
    EXPECT_NE(blas_kernels(), "Haswell");
#endif
}

struct Strides {
  int64_t row, column;
};

// Row-major, column-major, with gaps, and what does not matter where a size is 1.
std::vector<Strides> layouts(int64_t rows, int64_t columns) {
  std::vector<Strides> all = {{columns, 1}, {columns + 3, 1}, {1, rows}, {1, rows + 2}};
  if (rows == 1) all.push_back({0, 1});
  if (columns == 1) all.push_back({4, 7});
  if (rows == 1 && columns == 1) all.push_back({0, 0});
  return all;
}

template <class T>
void check(int64_t m, int64_t k, int64_t n, Strides x, Strides y) {
  std::vector<T> left(4096), right(4096);
  for (size_t i = 0; i < left.size(); ++i) {
    left[i] = static_cast<T>(static_cast<int64_t>(i * 7 % 13) - 6);
    right[i] = static_cast<T>(static_cast<int64_t>(i * 5 % 11) - 5);
  }
  MatrixIn<T> a{left.data(), m, k, x.row, x.column};
  MatrixIn<T> b{right.data(), k, n, y.row, y.column};
  // The previous contents of the result's memory do not matter.
  T before = std::numeric_limits<T>::has_quiet_NaN ? std::numeric_limits<T>::quiet_NaN() : T(7);
  std::vector<T> c(static_cast<size_t>(m * n), before);
  multiply(a, b, c.data());
  const int64_t stride = n + 2;
  std::vector<T> onto(static_cast<size_t>(m * stride), T(7));
  if constexpr (std::is_floating_point_v<T>) multiply_add(a, b, onto.data(), stride);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      T sum = 0;
      for (int64_t t = 0; t < k; ++t)
        sum += left[static_cast<size_t>(i * x.row + t * x.column)] *
               right[static_cast<size_t>(t * y.row + j * y.column)];
      ASSERT_EQ(c[static_cast<size_t>(i * n + j)], sum)
          << m << 'x' << k << 'x' << n << " strides " << x.row << ',' << x.column << " and "
          << y.row << ',' << y.column << " at " << i << ',' << j;
      if constexpr (std::is_floating_point_v<T>)
        ASSERT_EQ(onto[static_cast<size_t>(i * stride + j)], sum + 7) << i << ',' << j;
    }
    for (int64_t j = n; j < stride; ++j) ASSERT_EQ(onto[static_cast<size_t>(i * stride + j)], T(7));
  }
}

TEST(Product, IsTheSumsAtEveryLayout) {
  for (int64_t m : {1, 2, 5, 17}) {
    for (int64_t k : {0, 1, 3, 16}) {
      for (int64_t n : {1, 2, 7, 18}) {
        for (Strides x : layouts(m, k)) {
          for (Strides y : layouts(k, n)) {
            if (k != 0 && !(blas_reads(m, k, x.row, x.column) && blas_reads(k, n, y.row, y.column)))
              continue;
            check<float>(m, k, n, x, y);
            check<double>(m, k, n, x, y);
            check<int64_t>(m, k, n, x, y);
          }
        }
      }
    }
  }
}

template <class U>
void check_wrapping(WrappingProduct<U> product) {
  for (int64_t m : {1, 4, 13, 19}) {
    for (int64_t n : {1, 8, 16, 33, 70}) {
      constexpr int64_t k = 5;
      std::vector<U> a(static_cast<size_t>(m * k)), b(static_cast<size_t>(k * (n + 2)));
      for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<U>(i * 0x9e3779b97f4a7c15u);
      for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<U>((i + 7) * 0xbf58476d1ce4e5b9u);
      std::vector<U> c(static_cast<size_t>(m * n + 1), U(7));
      product({a.data(), m, k, 1, m}, b.data(), n + 2, n, c.data());
      EXPECT_EQ(c.back(), U(7)) << "written behind the result";
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t j = 0; j < n; ++j) {
          U sum = 0;
          for (int64_t t = 0; t < k; ++t)
            sum += a[static_cast<size_t>(t * m + i)] * b[static_cast<size_t>(t * (n + 2) + j)];
          ASSERT_EQ(c[static_cast<size_t>(i * n + j)], sum)
              << m << 'x' << n << " at " << i << ',' << j;
        }
      }
    }
  }
}

TEST(Product, IntegersWrapUnderEachInstructionSet) {
  check_wrapping<uint32_t>(&WrappingBlocks<uint32_t, 16>::run);
  check_wrapping<uint64_t>(&WrappingBlocks<uint64_t, 16>::run);
  check_wrapping(wrapping_product<uint32_t>());
  check_wrapping(wrapping_product<uint64_t>());
#if defined(__x86_64__) && defined(__clang__)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return;
  check_wrapping(avx2::kWrapping32);
  check_wrapping(avx2::kWrapping64);
#endif
}

TEST(Product, ReadsOneStrideOfOneAndNoOverlap) {
  EXPECT_TRUE(blas_reads(3, 4, 4, 1));
  EXPECT_TRUE(blas_reads(3, 4, 9, 1));
  EXPECT_TRUE(blas_reads(3, 4, 1, 3));
  EXPECT_TRUE(blas_reads(3, 1, 5, 0));
  EXPECT_TRUE(blas_reads(1, 4, 0, 1));
  EXPECT_FALSE(blas_reads(3, 4, 1, 1));  // a window that slides by one
  EXPECT_FALSE(blas_reads(3, 4, 0, 1));  // one row expanded
  EXPECT_FALSE(blas_reads(3, 4, 8, 2));
  EXPECT_FALSE(blas_reads(3, 4, 0, 0));
}

// A batch of lines that meets one matrix may be one product, wherever its lines lie.
TEST(Product, BatchesThatMeetOneMatrixAreThoseOneByOne) {
  for (DType dtype : {DType::F32, DType::I64}) {
    Tensor left = Tensor::empty({4096}, dtype), right = Tensor::empty({7, 5}, dtype);
    for (int64_t i = 0; i < 4096; ++i) set_element_int(left, i, i * 7 % 13 - 6);
    for (int64_t i = 0; i < 35; ++i) set_element_int(right, i, i * 5 % 11 - 5);
    struct Place {
      Dims sizes, strides;
    };
    for (const Place& p : std::vector<Place>{{{3, 4, 7}, {28, 7, 1}},
                                             {{3, 4, 7}, {7, 21, 1}},
                                             {{3, 4, 7}, {28, 1, 4}},
                                             {{3, 4, 7}, {40, 10, 1}},
                                             {{3, 4, 7}, {0, 7, 1}},
                                             {{3, 4, 7}, {28, 0, 1}},
                                             {{3, 1, 7}, {7, 99, 1}},
                                             {{3, 1, 7}, {0, 7, 1}},
                                             {{1, 4, 7}, {99, 7, 1}},
                                             {{2, 3, 4, 7}, {84, 28, 7, 1}},
                                             {{2, 1, 3, 4, 7}, {100, 3, 28, 7, 1}},
                                             {{0, 4, 7}, {28, 7, 1}}}) {
      Tensor a = Tensor::view_of(left, 2, p.sizes, p.strides);
      Tensor got =
          call(operator_named("aten::matmul"), std::vector<IValue>{a, right})[0].as_tensor();
      Tensor flat = contiguous(a);
      int64_t lines = a.numel() / 7;
      ASSERT_EQ(got.numel(), lines * 5);
      for (int64_t i = 0; i < lines; ++i) {
        for (int64_t j = 0; j < 5; ++j) {
          int64_t sum = 0;
          for (int64_t k = 0; k < 7; ++k)
            sum += element_as_int(flat, i * 7 + k) * element_as_int(right, k * 5 + j);
          ASSERT_EQ(element_as_int(got, i * 5 + j), sum) << to_string(p.strides) << " at " << i;
        }
      }
    }
  }
}

TEST(Product, WrapsIntegers) {
  int64_t most = std::numeric_limits<int64_t>::max();
  int64_t a[2] = {most, 2}, b[2] = {2, most}, c = 5;
  multiply(MatrixIn<int64_t>{a, 1, 2, 2, 1}, MatrixIn<int64_t>{b, 2, 1, 1, 1}, &c);
  EXPECT_EQ(c, -4);
}

}  // namespace
}  // namespace fusillade
