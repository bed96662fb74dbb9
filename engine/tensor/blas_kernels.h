// Which kernels OpenBLAS runs. It knows processors by their numbers, and takes one that is newer
// than it for an x86 of 2004: 0.3.21 multiplies matrices on an Emerald Rapids of 2023 with SSE3,
// four times slower than with AVX-512, and on a Zen 5 of 2024 with AVX2, at two thirds.
#pragma once

#include <string>

namespace fusillade {

// The name of the kernels in use, as OpenBLAS spells them ("Cooperlake"); "unknown" of another
// BLAS. The first call chooses: what OPENBLAS_CORETYPE in the environment asks for, else what
// OpenBLAS found, else, where this processor's instructions allow newer ones, the newest of those.
// Whoever calls BLAS asks this before.
const std::string& blas_kernels();

}  // namespace fusillade
