// Back end `cuda`: kernels as CUDA text, compiled by NVRTC, run on a GPU.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/kernel/cuda_device.h"
#include "engine/kernel/kernel.h"

namespace fusillade::kernel::cuda {

// For this device, which is to live as long as the program. Throws Unsupported for what is no grid,
// or has more blocks than a GPU takes.
std::unique_ptr<Program> compile_for(const Device& device, const Kernel& kernel);

// While one is alive, it records the time of the kernels of each launch of this thread: from before
// the first to after the last, by the device's clock, without copies from and to the host.
class Times {
 public:
  Times();
  ~Times();
  Times(const Times&) = delete;
  Times& operator=(const Times&) = delete;
  static Times* current();  // null: none is alive

  struct Launch {
    double milliseconds = 0;
    uint64_t bytes = 0;  // of arguments: what was given, and what came back
  };
  std::vector<Launch> launches;

 private:
  Times* saved_;
};

}  // namespace fusillade::kernel::cuda
