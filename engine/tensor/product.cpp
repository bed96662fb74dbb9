// See product.h.
#include "engine/tensor/product.h"

#include <cblas.h>

#include <algorithm>
#include <climits>
#include <type_traits>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/thread_pool.h"
#include "engine/tensor/blas_kernels.h"
#include "engine/tensor/gemm.h"

namespace fusillade {
namespace {

[[maybe_unused]] const std::string& kKernels = blas_kernels();  // chosen before the first call

constexpr int64_t kLargest = 1 << 19;       // elements of a left matrix that our blocks take
constexpr int64_t kWorthThreads = 1 << 20;  // products of numbers
constexpr int64_t kFewest = 32;             // rows or columns of a part

// Steps between rows of a row-major matrix, as BLAS wants them: at least one row's length.
bool lies_in_rows(int64_t rows, int64_t columns, int64_t row_stride, int64_t column_stride) {
  return (columns <= 1 || column_stride == 1) && (rows <= 1 || row_stride >= columns);
}

int count(int64_t n) {
  if (n > INT_MAX) fail("a product of matrices counts to {}, not to {}", INT_MAX, n);
  return static_cast<int>(n);
}

// One operand as BLAS takes it.
struct Layout {
  CBLAS_TRANSPOSE transposed;
  int lead;
};

template <class T>
Layout layout_of(const MatrixIn<T>& m) {
  if (lies_in_rows(m.rows, m.columns, m.row_stride, m.column_stride))
    return {CblasNoTrans, count(std::max<int64_t>({m.rows <= 1 ? 0 : m.row_stride, m.columns, 1}))};
  return {CblasTrans, count(std::max<int64_t>({m.columns <= 1 ? 0 : m.column_stride, m.rows, 1}))};
}

// c, whose rows have stride `lead`, becomes keep * c + x @ y.
void gemm(Layout a, Layout b, int m, int n, int k, const float* x, const float* y, float keep,
          float* c, int lead) {
  cblas_sgemm(CblasRowMajor, a.transposed, b.transposed, m, n, k, 1, x, a.lead, y, b.lead, keep, c,
              lead);
}
void gemm(Layout a, Layout b, int m, int n, int k, const double* x, const double* y, double keep,
          double* c, int lead) {
  cblas_dgemm(CblasRowMajor, a.transposed, b.transposed, m, n, k, 1, x, a.lead, y, b.lead, keep, c,
              lead);
}

// Which of ours takes a product: those that docs/inside/ground.md measures to be as fast as BLAS.
enum class Way { Blas, Many, Few };

// BLAS reads small matrices that lie in rows in their place; where `a` is large and the result
// narrow, copying `a` costs us more.
Way way(int64_t m, int64_t n, int64_t k, bool turned) {
  const int64_t products = m * n * k;
  if (n < 4 || k < 16) return Way::Blas;
  if (turned && m <= 8 && k >= 256 && products >= 1 << 20) return Way::Few;
  if (m < 4 || n < 16 || n * 16 < m || m * k > kLargest) return Way::Blas;
  return products >= (turned || m <= 16 ? 1 << 15 : 1 << 20) ? Way::Many : Way::Blas;
}

// f(a's rows, b's columns, c's part) for parts of the product, on threads where they are worth it.
// Parts are of rows where `b` is the smaller one, which each part copies, else of columns.
template <class T, class F>
void in_parts(const MatrixIn<T>& a, const MatrixIn<T>& b, T* c, int64_t lead, int64_t step, F f) {
  const int64_t m = a.rows, n = b.columns;
  const bool rows = m > n;
  const int64_t whole = rows ? m : n;
  int64_t grain = whole;
  if (m * n * a.columns >= kWorthThreads) {
    const int64_t threads = thread_count();
    grain = std::max<int64_t>((whole + threads - 1) / threads, kFewest);
  }
  parallel(whole, grain, [&](int64_t begin, int64_t end) {
    MatrixIn<T> x = a, y = b;
    if (rows) x.data += begin * a.row_stride, x.rows = end - begin;
    else y.data += begin * b.column_stride, y.columns = end - begin;
    f(x, y, c + begin * (rows ? lead : step));
  });
}

// c's rows have stride `lead`, its columns `step`. Returns whether our kernel computed it.
template <class T>
bool ours(const MatrixIn<T>& a, const MatrixIn<T>& b, T* c, int64_t lead, int64_t step, bool add) {
  const Gemm<T>* kernels = gemm_kernels<T>();
  if (!kernels) return false;
  const Way by = way(a.rows, b.columns, a.columns, b.row_stride == 1);
  if (by == Way::Blas || (by == Way::Many && step != 1)) return false;
  in_parts(a, b, c, lead, step, [&](const MatrixIn<T>& x, const MatrixIn<T>& y, T* to) {
    if (by == Way::Few) kernels->few(x, y, to, lead, step, add);
    else kernels->many(x, y, to, lead, add);
  });
  return true;
}

}  // namespace

template <class T>
bool multiplies_on_many_threads(const MatrixIn<T>& a, const MatrixIn<T>& b) {
  return gemm_kernels<T>() && way(a.rows, b.columns, a.columns, b.row_stride == 1) != Way::Blas;
}
template bool multiplies_on_many_threads(const MatrixIn<float>&, const MatrixIn<float>&);
template bool multiplies_on_many_threads(const MatrixIn<double>&, const MatrixIn<double>&);

namespace {

template <class T>
MatrixIn<T> transpose_of(const MatrixIn<T>& m) {
  return {m.data, m.columns, m.rows, m.column_stride, m.row_stride};
}

// y += m @ x, or with m's transpose.
void gemv(Layout a, int rows, int columns, const float* m, const float* x, int step, float* y,
          int y_step) {
  cblas_sgemv(CblasRowMajor, a.transposed, rows, columns, 1, m, a.lead, x, step, 1, y, y_step);
}
void gemv(Layout a, int rows, int columns, const double* m, const double* x, int step, double* y,
          int y_step) {
  cblas_dgemv(CblasRowMajor, a.transposed, rows, columns, 1, m, a.lead, x, step, 1, y, y_step);
}

// y[rows] += m @ x, x and y at steps of their own: BLAS gets the matrix in its memory layout.
template <class T>
void add_times_vector(const MatrixIn<T>& m, const T* x, int64_t step, T* y, int64_t y_step) {
  if (ours(MatrixIn<T>{x, 1, m.columns, 0, step}, transpose_of(m), y, 0, y_step, true)) return;
  Layout layout = layout_of(m);
  bool turned = layout.transposed == CblasTrans;
  gemv(layout, count(turned ? m.columns : m.rows), count(turned ? m.rows : m.columns), m.data, x,
       m.columns == 1 ? 1 : count(step), y, m.rows == 1 ? 1 : count(y_step));
}

// The same into y at steps of 1, whatever it holds: some GEMV scale what they find, NaN too.
template <class T>
void times_vector(const MatrixIn<T>& m, const T* x, int64_t step, T* y) {
  std::fill_n(y, m.rows, T(0));
  add_times_vector(m, x, step, y, 1);
}

template <class T>
void wrapping(const MatrixIn<T>& a, const MatrixIn<T>& b, T* c) {
  using U = std::make_unsigned_t<T>;
  const MatrixIn<U> left{reinterpret_cast<const U*>(a.data), a.rows, a.columns, a.row_stride,
                         a.column_stride};
  const U* right = reinterpret_cast<const U*>(b.data);
  U* out = reinterpret_cast<U*>(c);
  std::vector<U> turned;
  int64_t b_row = b.row_stride;
  if (b.column_stride != 1) {
    turned.reserve(static_cast<size_t>(b.rows * b.columns));
    for (int64_t x = 0; x < b.rows; ++x)
      for (int64_t j = 0; j < b.columns; ++j)
        turned.push_back(right[x * b.row_stride + j * b.column_stride]);
    right = turned.data();
    b_row = b.columns;
  }
  wrapping_product<U>()(left, right, b_row, b.columns, out);
}

}  // namespace

bool blas_reads(int64_t rows, int64_t columns, int64_t row_stride, int64_t column_stride) {
  return lies_in_rows(rows, columns, row_stride, column_stride) ||
         lies_in_rows(columns, rows, column_stride, row_stride);
}

template <class T>
void multiply(const MatrixIn<T>& a, const MatrixIn<T>& b, T* c) {
  if (a.rows == 0 || b.columns == 0) return;
  if (a.columns == 0) {
    std::fill_n(c, a.rows * b.columns, T(0));
  } else if constexpr (std::is_floating_point_v<T>) {
    if (b.columns == 1) return times_vector(a, b.data, b.row_stride, c);
    if (a.rows == 1) return times_vector(transpose_of(b), a.data, a.column_stride, c);
    if (ours(a, b, c, b.columns, 1, false)) return;
    gemm(layout_of(a), layout_of(b), count(a.rows), count(b.columns), count(a.columns), a.data,
         b.data, 0, c, count(b.columns));
  } else {
    wrapping(a, b, c);
  }
}

template <class T>
void multiply_add(const MatrixIn<T>& a, const MatrixIn<T>& b, T* c, int64_t c_stride) {
  if (a.rows == 0 || b.columns == 0 || a.columns == 0) return;
  if (b.columns == 1) return add_times_vector(a, b.data, b.row_stride, c, c_stride);
  if (a.rows == 1) return add_times_vector(transpose_of(b), a.data, a.column_stride, c, 1);
  if (ours(a, b, c, c_stride, 1, true)) return;
  gemm(layout_of(a), layout_of(b), count(a.rows), count(b.columns), count(a.columns), a.data,
       b.data, 1, c, count(c_stride));
}

template void multiply_add(const MatrixIn<float>&, const MatrixIn<float>&, float*, int64_t);
template void multiply_add(const MatrixIn<double>&, const MatrixIn<double>&, double*, int64_t);
template void multiply(const MatrixIn<float>&, const MatrixIn<float>&, float*);
template void multiply(const MatrixIn<double>&, const MatrixIn<double>&, double*);
template void multiply(const MatrixIn<int64_t>&, const MatrixIn<int64_t>&, int64_t*);
template void multiply(const MatrixIn<uint32_t>&, const MatrixIn<uint32_t>&, uint32_t*);
template void multiply(const MatrixIn<uint64_t>&, const MatrixIn<uint64_t>&, uint64_t*);

}  // namespace fusillade
