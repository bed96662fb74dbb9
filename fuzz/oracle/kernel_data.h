// A kernel launched by itself, on synthetic data.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/fuse/fuser.h"

namespace fusillade::fuzz {

// Memory for what a kernel is given, every byte of it the same for equal kernels: elements by
// their number alone, all kinds of values in the domain of the kernel, dynamic sizes small.
class KernelData {
 public:
  explicit KernelData(const fuse::Lowered& lowered);
  uint64_t bytes() const;  // of all inputs and results
  // What the results hold after a launch, one after the other. Throws what the launch throws.
  std::vector<std::vector<uint8_t>> run(const kernel::Program& program) const;

 private:
  std::vector<std::vector<uint8_t>> given_;  // In and Out buffers, in order
  std::vector<bool> result_;                 // which are Out
  std::vector<uint64_t> scalars_;
  uint64_t bytes_ = 0;
};

}  // namespace fusillade::fuzz
