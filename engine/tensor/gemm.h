// Our own product of matrices of floats and doubles, an alternative to BLAS: c = a @ b, or
// c += a @ b.
//
// Every element of the result is summed in one order, which depends on k alone: in `many`, blocks
// of k, in a block one product after the other by fused multiply-add, block after block onto the
// result. So the bits are the same for any cut of the product into rows and columns, which is what
// threads do.
#pragma once

#include "engine/tensor/matrix.h"

namespace fusillade {

// Two ways, each with an order of its own, which the caller chooses for the whole product: blocks
// for many rows, dot products for few, which read columns of `b` that lie contiguous where they
// are.
template <class T>
struct Gemm {
  // c's rows have stride `lead`; add: c accumulates. Sizes are at least 1.
  void (*many)(const MatrixIn<T>& a, const MatrixIn<T>& b, T* c, int64_t lead, bool add);
  // b.row_stride is 1, or b has one row; c's columns have stride `step`. Each lane of a register
  // sums its own part, then the lanes are summed.
  void (*few)(const MatrixIn<T>& a, const MatrixIn<T>& b, T* c, int64_t lead, int64_t step,
              bool add);
};

// Whether the machine has the parts of AVX-512 that kernels are written for.
bool has_avx512();

// For this machine's instructions; null where it has neither AVX-512 nor AVX2 with FMA.
template <class T>
const Gemm<T>* gemm_kernels();

// Products of integers that wrap: c[a.rows, columns], contiguous, = a @ b, whose rows have stride
// b_row. U: uint32_t or uint64_t.
template <class U>
using WrappingProduct = void (*)(const MatrixIn<U>& a, const U* b, int64_t b_row, int64_t columns,
                                 U* c);
// For this machine's instructions.
template <class U>
WrappingProduct<U> wrapping_product();

// For one set of instructions; to be called where the machine has it.
namespace avx512 {
extern const WrappingProduct<uint32_t> kWrapping32;
extern const WrappingProduct<uint64_t> kWrapping64;
extern const Gemm<float> kFloats;
extern const Gemm<double> kDoubles;
}  // namespace avx512
namespace avx2 {
extern const WrappingProduct<uint32_t> kWrapping32;
extern const WrappingProduct<uint64_t> kWrapping64;
extern const Gemm<float> kFloats;
extern const Gemm<double> kDoubles;
}  // namespace avx2

}  // namespace fusillade
