// See factor.h.
#include "engine/tensor/factor.h"

#include <algorithm>
#include <climits>
#include <cmath>

#include "engine/base/error.h"
#include "engine/tensor/blas_kernels.h"
#include "engine/tensor/product.h"

extern "C" {
void dgetrf_(const int*, const int*, double*, const int*, int*, int*);
void dgetrs_(const char*, const int*, const int*, const double*, const int*, const int*, double*,
             const int*, int*);
void dgeqrf_(const int*, const int*, double*, const int*, double*, double*, const int*, int*);
void dorgqr_(const int*, const int*, const int*, double*, const int*, const double*, double*,
             const int*, int*);
void dsyevd_(const char*, const char*, const int*, double*, const int*, double*, double*,
             const int*, int*, const int*, int*);
void dgelsy_(const int*, const int*, const int*, double*, const int*, double*, const int*, int*,
             const double*, int*, double*, const int*, int*);
void dgesdd_(const char*, const int*, const int*, double*, const int*, double*, double*, const int*,
             double*, const int*, double*, const int*, int*, int*);
}

namespace fusillade {
namespace {

[[maybe_unused]] const std::string& kKernels = blas_kernels();  // chosen before the first call

int count(int64_t n) {
  if (n > INT_MAX) fail("LAPACK counts to {}, not to {}", INT_MAX, n);
  return static_cast<int>(n);
}

bool is_small(const Columns& a) { return a.rows <= kPlain && a.columns <= kPlain; }

// Runs f(work, size), first with a size of -1, to learn how much it wants.
template <class F>
void with_work(F f) {
  double wanted = 0;
  f(&wanted, -1);
  std::vector<double> work(static_cast<size_t>(std::max(wanted, 1.0)));
  f(work.data(), count(static_cast<int64_t>(work.size())));
}

// to[i] -= factor * from[i] for i in [first, last).
void subtract(double* to, const double* from, double factor, int64_t first, int64_t last) {
  for (int64_t i = first; i < last; ++i) to[i] -= factor * from[i];
}

// column -= 2 v (v . column), of elements first and on.
void mirror(double* column, const double* v, int64_t first, int64_t rows) {
  double dot = 0;
  for (int64_t i = first; i < rows; ++i) dot += v[i] * column[i];
  subtract(column, v, 2 * dot, first, rows);
}

void reflect_plain(Columns& a, Columns& q) {
  int64_t m = a.rows, steps = std::min(m, a.columns);
  Columns vs(m, steps);
  for (int64_t i = 0; i < steps; ++i) {
    double* v = vs.column(i);
    std::copy(a.column(i) + i, a.column(i) + m, v + i);
    bool flat = std::all_of(v + i + 1, v + m, [](double x) { return x == 0; });
    double squares = 0;
    for (int64_t r = i; r < m; ++r) squares += v[r] * v[r];
    v[i] += std::copysign(std::sqrt(squares), v[i] < 0 ? -1.0 : 1.0);
    double length = 0;
    for (int64_t r = i; r < m; ++r) length += v[r] * v[r];
    length = std::sqrt(length);
    for (int64_t r = i; r < m; ++r) v[r] = flat ? 0 : v[r] / length;
    for (int64_t j = i; j < a.columns; ++j) mirror(a.column(j), v, i, m);
  }
  // Rows of Q, from those of the unit: each reflection meets all that came before it.
  std::vector<double> row(static_cast<size_t>(m));
  for (int64_t r = 0; r < m; ++r) {
    std::fill(row.begin(), row.end(), 0.0);
    row[static_cast<size_t>(r)] = 1;
    for (int64_t i = 0; i < steps; ++i) mirror(row.data(), vs.column(i), i, m);
    for (int64_t j = 0; j < q.columns; ++j) q.at(r, j) = row[static_cast<size_t>(j)];
  }
}

void clear_below(Columns& a) {
  for (int64_t j = 0; j < a.columns && j + 1 < a.rows; ++j)
    std::fill(a.column(j) + j + 1, a.column(j) + a.rows, 0.0);
}

// a becomes two triangles, `pivots` the rows that each step swapped; false where a pivot is 0. The
// pivots are those of single steps up to rounding.
bool factors_of(Columns& a, std::vector<int>& pivots) {
  int m = count(a.rows), n = count(a.columns), info = 0;
  pivots.resize(static_cast<size_t>(std::min(m, n)));
  dgetrf_(&m, &n, a.data.data(), &m, pivots.data(), &info);
  return info == 0;
}

double determinant(Columns& a, const std::vector<int>& pivots) {
  const int n = count(a.rows);
  double det = 1;
  for (int i = 0; i < n; ++i)
    det *= pivots[static_cast<size_t>(i)] == i + 1 ? a.at(i, i) : -a.at(i, i);
  return det;
}

// A square part of a matrix.
struct Part {
  double* data;
  int64_t size, lead;
  double& at(int64_t i, int64_t j) const { return data[j * lead + i]; }
};

// c, whose columns have stride `lead`, becomes c + a @ b.
void add_product(const MatrixIn<double>& a, const MatrixIn<double>& b, double* c, int64_t lead) {
  auto transpose_of = [](const MatrixIn<double>& m) {
    return MatrixIn<double>{m.data, m.columns, m.rows, m.column_stride, m.row_stride};
  };
  multiply_add(transpose_of(b), transpose_of(a), c, lead);
}

// Of a lower triangle: the inverses of its halves, and minus the product of the three parts.
void invert_lower(const Part& t) {
  constexpr int64_t kFew = 16;
  const int64_t n = t.size, half = n / 2, rest = n - half;
  if (n <= kFew) {
    for (int64_t j = 0; j < n; ++j) {
      t.at(j, j) = 1 / t.at(j, j);
      for (int64_t i = j + 1; i < n; ++i) {
        double sum = 0;
        for (int64_t k = j; k < i; ++k) sum += t.at(i, k) * t.at(k, j);
        t.at(i, j) = -sum / t.at(i, i);
      }
    }
    return;
  }
  const Part first{t.data, half, t.lead}, second{&t.at(half, half), rest, t.lead};
  invert_lower(first);
  invert_lower(second);
  auto matrix = [](const Part& p) { return MatrixIn<double>{p.data, p.size, p.size, 1, p.lead}; };
  double* between = &t.at(half, 0);
  Columns product(rest, half);
  add_product({between, rest, half, 1, t.lead}, matrix(first), product.data.data(), rest);
  for (int64_t j = 0; j < half; ++j) std::fill_n(between + j * t.lead, rest, 0.0);
  for (double& v : product.data) v = -v;
  add_product(matrix(second), {product.data.data(), rest, half, 1, rest}, between, t.lead);
}

std::optional<double> solve_by_factors(Columns& a, Columns& b) {
  int n = count(a.rows), sides = count(b.columns), info = 0;
  std::vector<int> pivots;
  if (!factors_of(a, pivots)) return std::nullopt;
  if (sides > 0)
    dgetrs_("N", &n, &sides, a.data.data(), &n, pivots.data(), b.data.data(), &n, &info);
  return determinant(a, pivots);
}

}  // namespace

// Elimination in all rows but the pivot's, so that nothing is left to substitute; without right
// sides in those below it alone.
std::optional<double> solve(Columns& a, Columns& b) {
  if (a.rows > kSteps) return solve_by_factors(a, b);
  int64_t n = a.rows;
  double det = 1;
  std::vector<double> factors(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) {
    int64_t best = i;
    for (int64_t r = i + 1; r < n; ++r) {
      if (std::fabs(a.at(r, i)) > std::fabs(a.at(best, i))) best = r;
    }
    if (best != i) {
      for (int64_t j = 0; j < n; ++j) std::swap(a.at(i, j), a.at(best, j));
      for (int64_t j = 0; j < b.columns; ++j) std::swap(b.at(i, j), b.at(best, j));
    }
    double pivot = a.at(i, i);
    if (pivot == 0) return std::nullopt;
    det *= best == i ? pivot : -pivot;
    int64_t first = b.columns == 0 ? i + 1 : 0;
    for (int64_t r = first; r < n; ++r) factors[static_cast<size_t>(r)] = a.at(r, i) / pivot;
    if (b.columns > 0) factors[static_cast<size_t>(i)] = 0;
    // What is left of earlier columns, next to nothing, still meets the diagonal.
    for (int64_t j = b.columns == 0 ? i + 1 : 0; j < n; ++j) {
      if (j >= i || a.at(i, j) != 0) subtract(a.column(j), factors.data(), a.at(i, j), first, n);
    }
    for (int64_t j = 0; j < b.columns; ++j) subtract(b.column(j), factors.data(), b.at(i, j), 0, n);
  }
  for (int64_t j = 0; j < b.columns; ++j) {
    for (int64_t i = 0; i < n; ++i) b.at(i, j) /= a.at(i, i);
  }
  return det;
}

void split(Columns& a, std::vector<int32_t>& pivots) {
  const int64_t m = a.rows, n = a.columns;
  pivots.clear();
  if (std::min(m, n) > kSteps) {
    std::vector<int> swapped;
    factors_of(a, swapped);
    pivots.assign(swapped.begin(), swapped.end());
    return;
  }
  for (int64_t i = 0; i < std::min(m, n); ++i) {
    double* column = a.column(i);
    int64_t best = i;
    for (int64_t r = i + 1; r < m; ++r) {
      if (std::fabs(column[r]) > std::fabs(column[best])) best = r;
    }
    pivots.push_back(static_cast<int32_t>(best + 1));
    for (int64_t j = 0; best != i && j < n; ++j) std::swap(a.at(i, j), a.at(best, j));
    const double top = column[i];
    for (int64_t r = i + 1; top != 0 && r < m; ++r) column[r] /= top;
    for (int64_t j = i + 1; j < n; ++j) subtract(a.column(j), column, a.at(i, j), i + 1, m);
  }
}

// By the inverses of both triangles, whose product is taken without the quarters that are zero:
// nearly all of it is products of matrices.
bool invert(Columns& a) {
  const int64_t n = a.rows, half = n / 2;
  std::vector<int> pivots;
  if (!factors_of(a, pivots)) return false;
  Columns lower(n, n), upper(n, n);  // the second one turned, so that it is a lower triangle too
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = 0; i <= j; ++i) upper.at(j, i) = a.at(i, j);
    std::copy(a.column(j) + j + 1, a.column(j) + n, lower.column(j) + j + 1);
    lower.at(j, j) = 1;
  }
  invert_lower({lower.data.data(), n, n});
  invert_lower({upper.data.data(), n, n});
  std::ranges::fill(a.data, 0.0);
  auto add = [&](int64_t first_row, int64_t rows, int64_t first_column, int64_t columns,
                 int64_t first) {
    const MatrixIn<double> left{upper.column(first_row) + first, rows, n - first, n, 1};
    const MatrixIn<double> right{lower.column(first_column) + first, n - first, columns, 1, n};
    add_product(left, right, a.column(first_column) + first_row, n);
  };
  add(0, half, 0, half, 0);
  add(half, n - half, 0, half, half);
  add(0, n, half, n - half, half);
  for (int64_t i = n - 1; i >= 0; --i) {
    const int64_t other = pivots[static_cast<size_t>(i)] - 1;
    if (other != i) std::swap_ranges(a.column(i), a.column(i) + n, a.column(other));
  }
  return true;
}

bool substitute(Columns& a, Columns& b, bool upper, bool unit) {
  int64_t n = a.rows;
  for (int64_t i = 0; i < n && !unit; ++i) {
    if (a.at(i, i) == 0) return false;
  }
  for (int64_t j = 0; j < b.columns; ++j) {
    double* x = b.column(j);
    for (int64_t k = 0; k < n; ++k) {
      int64_t i = upper ? n - 1 - k : k;
      if (!unit) x[i] /= a.at(i, i);
      subtract(x, a.column(i), x[i], upper ? 0 : i + 1, upper ? i : n);
    }
  }
  return true;
}

bool cholesky(Columns& a) {
  int64_t n = a.rows;
  std::vector<double> sums(static_cast<size_t>(n));
  for (int64_t j = 0; j < n; ++j) {
    std::fill(sums.begin(), sums.end(), 0.0);
    for (int64_t k = 0; k < j; ++k) {
      const double *left = a.column(k), factor = left[j];
      for (int64_t i = j; i < n; ++i) sums[static_cast<size_t>(i)] += left[i] * factor;
    }
    double* column = a.column(j);
    subtract(column, sums.data(), 1, j, n);
    if (!(column[j] > 0)) return false;
    double root = std::sqrt(column[j]);
    for (int64_t i = j; i < n; ++i) column[i] /= root;
  }
  for (int64_t j = 1; j < n; ++j) std::fill_n(a.column(j), j, 0.0);
  return true;
}

void reflect(Columns& a, Columns& q) {
  if (is_small(a)) {
    reflect_plain(a, q);
  } else {
    int m = count(a.rows), n = count(a.columns), k = count(q.columns), info = 0;
    int steps = std::min(m, n);
    std::vector<double> scales(static_cast<size_t>(steps));
    with_work([&](double* work, int size) {
      dgeqrf_(&m, &n, a.data.data(), &m, scales.data(), work, &size, &info);
    });
    std::copy_n(a.data.begin(), static_cast<int64_t>(m) * steps, q.data.begin());
    with_work([&](double* work, int size) {
      dorgqr_(&m, &k, &steps, q.data.data(), &m, scales.data(), work, &size, &info);
    });
  }
  clear_below(a);
}

bool eigen(Columns& a, bool upper, double* values, bool vectors) {
  int n = count(a.rows), info = 0, whole_wanted = 0, minus = -1;
  double wanted = 0;
  const char *job = vectors ? "V" : "N", *half = upper ? "U" : "L";
  dsyevd_(job, half, &n, a.data.data(), &n, values, &wanted, &minus, &whole_wanted, &minus, &info);
  std::vector<double> work(static_cast<size_t>(std::max(wanted, 1.0)));
  std::vector<int> wholes(static_cast<size_t>(std::max(whole_wanted, 1)));
  int size = count(static_cast<int64_t>(work.size()));
  dsyevd_(job, half, &n, a.data.data(), &n, values, work.data(), &size, wholes.data(),
          &whole_wanted, &info);
  return info == 0;
}

bool singular(Columns& a, double* values, Columns& u, Columns& vt) {
  int m = count(a.rows), n = count(a.columns), info = 0;
  const char* job = u.columns == 0 ? "N" : u.columns == m && vt.rows == n ? "A" : "S";
  int u_lead = std::max(m, 1), v_lead = count(std::max<int64_t>(vt.rows, 1));
  std::vector<int> wholes(static_cast<size_t>(8 * std::min(m, n)));
  with_work([&](double* work, int size) {
    dgesdd_(job, &m, &n, a.data.data(), &m, values, u.data.data(), &u_lead, vt.data.data(), &v_lead,
            work, &size, wholes.data(), &info);
  });
  return info == 0;
}

int64_t least_squares(Columns& a, Columns& b, double least) {
  const int m = count(a.rows), n = count(a.columns), sides = count(b.columns);
  const int rows = count(b.rows);
  int rank = 0, info = 0;
  std::vector<int> order(static_cast<size_t>(n), 0);
  with_work([&](double* work, int size) {
    dgelsy_(&m, &n, &sides, a.data.data(), &m, b.data.data(), &rows, order.data(), &least, &rank,
            work, &size, &info);
  });
  FUS_CHECK(info == 0, "dgelsy refuses its argument {}", -info);
  return rank;
}

}  // namespace fusillade
