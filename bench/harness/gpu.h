// Programs on the GPU. By its own clock: what their kernels take, compared with a copy within the
// device that moves as many bytes, and with their operators run one by one. By the host's clock:
// what a call takes whose tensors are on the device.
#pragma once

#include <string>
#include <vector>

#include "bench/harness/program.h"
#include "engine/kernel/cuda_device.h"

namespace fusillade::bench {

struct GpuTimed {
  Program program;
  std::string verdict;               // of the differential oracle, on inputs of few rows
  size_t launches = 0;               // of groups, in each call
  uint64_t bytes = 0;                // of arguments and results of these
  std::vector<double> milliseconds;  // of each call: its kernels alone
  std::vector<double> copy;          // moving as many bytes
  // Of tensors that lie there, operator by operator and in groups.
  struct Resident {
    size_t launches = 0;               // in each call
    uint64_t on_cpu = 0;               // operators that no kernel does, in all calls
    std::vector<double> milliseconds;  // of each call: its kernels alone
    std::vector<double> calls;         // from before each call until the device is done
  };
  Resident eager, fused;
};

inline constexpr const char* kGpuPlan = "vm/o2,fuse(tile,cuda)";

// Those of `folder` that an issue names, with first inputs of so many bytes. Throws Error where one
// is not there, or has no kernel.
std::vector<GpuTimed> time_on_gpu(const kernel::cuda::Device& device, const std::string& folder,
                                  size_t bytes, int rounds);

}  // namespace fusillade::bench
