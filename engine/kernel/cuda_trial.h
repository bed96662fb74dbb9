// A GPU tried out through its driver: does it do what is asked, and how fast does it copy?
#pragma once

#include <string>
#include <vector>

#include "engine/kernel/cuda_device.h"

namespace fusillade::kernel::cuda {

struct Tried {
  std::string what;
  std::string failure;  // empty: it did
};

// One thing at a time, on memory of so many bytes (at least 4). What comes after a failure that
// costs the GPU fails, too.
std::vector<Tried> try_driver(const Device& device, size_t bytes);

// Milliseconds, by the device's clock, of each of so many copies of so many bytes within its
// memory.
std::vector<double> time_copies(const Device& device, size_t bytes, int times);

}  // namespace fusillade::kernel::cuda
