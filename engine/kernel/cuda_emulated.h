// CUDA text run without a GPU: built by a C++ compiler against kCudaShim, loaded, and run on the
// host.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/kernel/kernel.h"

namespace fusillade::kernel {

// All in one run of the compiler. Throws Unsupported where it is not here, or for one of the
// kernels; Bug where the text does not compile.
std::vector<std::unique_ptr<Program>> emulate(std::span<const Kernel> kernels);

}  // namespace fusillade::kernel
