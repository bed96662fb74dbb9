// The cells of recurrent layers for AVX-512.
#include "engine/aten/recurrent/line.h"

// What the cells include, before the instruction set is asked for: of that only the cells.
#include <cmath>
#include <cstring>

#include "engine/scalar/libmvec.h"

#if defined(__x86_64__) && defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx2"))), \
                             apply_to = function)
#include "engine/aten/recurrent/cells.h"

namespace fusillade::avx512 {
const CellKernels<float> kFloatCells = Cells<float, 64>::kKernels;
const CellKernels<double> kDoubleCells = Cells<double, 64>::kKernels;
}  // namespace fusillade::avx512
#pragma clang attribute pop
#endif
