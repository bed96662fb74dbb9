// A kernel as CUDA C: one __global__ function per grid, in the order they run.
//
// The text depends on the kernel's content alone, so that caches may hash it. It computes what the
// interpreter does, by the same rules: integers wrap and divide as scalar/native.h says, halves are
// rounded from float by kCudaPrelude, literals are exact, both sides of a choice are evaluated. It
// is to be compiled without contraction of a * b + c. Any compiler that knows the prelude's few
// names will do: NVRTC, or a C++ compiler with kCudaShim before it.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "engine/kernel/kernel.h"

namespace fusillade::kernel {

struct CudaLaunch {
  std::string function;
  std::vector<std::string> parameters;  // their types
  std::array<int64_t, 3> blocks;        // along x, y, z; each may be dynamic (kernel.h)
  std::array<int64_t, 3> threads;
  bool meets;  // has a barrier or a shuffle
};

struct CudaText {
  std::string functions;  // to follow kCudaPrelude
  std::vector<CudaLaunch> launches;
};

// Functions are called `name`_0, `name`_1, ... Each takes every In, Out and Temp buffer (address of
// element 0) and then every scalar, in the kernel's order. Throws Unsupported for statements
// outside grids.
CudaText cuda_text(const Kernel& kernel, const std::string& name);

extern const char* const kCudaPrelude;  // cuda_prelude.cuh
extern const char* const kCudaShim;     // cuda_shim.cuh

}  // namespace fusillade::kernel
