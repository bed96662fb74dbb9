// Matrices decomposed, in double, column by column in memory (element (i, j) at data[j * rows +
// i]), as LAPACK has them. What is a sequence of single steps, elimination and Cholesky's factor,
// is ours: operators of linear algebra are defined by those steps, and LAPACK takes others. The
// iterations are LAPACK's, and so are QR of more than kPlain rows or columns, and elimination and
// LU of more than kSteps rows, whose bounds are wide by then.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/tensor/memory_pool.h"

namespace fusillade {

inline constexpr int64_t kPlain = 32, kSteps = 48;

struct Columns {
  int64_t rows = 0, columns = 0;
  Scratch<double> data;
  Columns() = default;
  Columns(int64_t m, int64_t n)
      : rows(m), columns(n), data(static_cast<size_t>(m) * static_cast<size_t>(n), 0.0) {}
  double* column(int64_t j) { return data.data() + j * rows; }
  double& at(int64_t i, int64_t j) { return data[static_cast<size_t>(j * rows + i)]; }
};

// b becomes the solution of a @ x = b; returns a's determinant (0 or infinite where that is less or
// more than a double holds), nothing (and no solution) where a pivot is 0. a is used up.
std::optional<double> solve(Columns& a, Columns& b);

// a becomes its LU factors, both in the one matrix; `pivots` becomes the row, from 1, that each
// step swapped its own with.
void split(Columns& a, std::vector<int32_t>& pivots);

// a, of more than kSteps rows, becomes its inverse. False (and no inverse) where a pivot is 0.
bool invert(Columns& a);

// b becomes the solution of a @ x = b where a is a triangle, the elements beyond it being taken for
// 0, and those of the diagonal for 1 if they are `unit`. False where one of them is 0.
bool substitute(Columns& a, Columns& b, bool upper, bool unit);

// The lower triangle becomes that of the Cholesky factor, what lies above it 0; false where a pivot
// is not positive. Only the lower triangle is read.
bool cholesky(Columns& a);

// a becomes R (its upper triangle; below it 0), q the first q.columns columns of Q; the diagonal of
// R has the opposite sign of what each reflection met.
void reflect(Columns& a, Columns& q);

// Ascending eigenvalues of a symmetric matrix, of which one triangle is read; a becomes the
// eigenvectors, if they are wanted, with signs that depend on the triangle. False where the
// iteration does not converge.
bool eigen(Columns& a, bool upper, double* values, bool vectors);

// Descending singular values; u and vt become the vectors, for as many as u.columns says (0: none).
bool singular(Columns& a, double* values, Columns& u, Columns& vt);

// The shortest x for which a @ x comes nearest to b, by LAPACK's QR with columns in turn; returns
// a's rank, for which what is `least` of the largest counts as nothing. b has as many rows as the
// longer side of a, of which the first are x then; a is used up.
int64_t least_squares(Columns& a, Columns& b, double least);

}  // namespace fusillade
