// Products of matrices in memory: c[m, n] = a[m, k] @ b[k, n].
//
// float and double go to our own blocks (gemm.h) where these are measured to be at least as fast,
// else to BLAS, which reads an operand in its place where one of its two strides is 1
// (`blas_reads`), so that a transposed matrix is not copied; a product with a vector is GEMV.
// Integers wrap, residues of the ring domain (uint32_t, uint64_t) too, and may lie at any strides.
#pragma once

#include "engine/tensor/matrix.h"

namespace fusillade {

// Whether BLAS can read a matrix of these strides where it lies, as it is or transposed.
bool blas_reads(int64_t rows, int64_t columns, int64_t row_stride, int64_t column_stride);

// c is contiguous and gets every element; a sum of no products is 0. Matrices of floats are such
// that blas_reads() says yes. Throws where a size is more than BLAS counts (2^31 - 1).
template <class T>
void multiply(const MatrixIn<T>& a, const MatrixIn<T>& b, T* c);

// May several threads multiply such matrices at once, each a product of its own?
template <class T>
bool multiplies_on_many_threads(const MatrixIn<T>& a, const MatrixIn<T>& b);

// c[i * c_stride + j] += the product's element (i, j). Floats alone.
template <class T>
void multiply_add(const MatrixIn<T>& a, const MatrixIn<T>& b, T* c, int64_t c_stride);

}  // namespace fusillade
