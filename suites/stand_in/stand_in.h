// What the parts of libcuda_stand_in share: the machine code that its NVRTC makes and its driver
// loads, how its cuBLAS asks for work on a stream, and what environment variables say.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace fusillade::stand_in {

// Before the bytes of a shared object. For each kernel NAME it has run_NAME and sizes_NAME.
struct ImageHead {
  char magic[8];
  uint32_t capability;
  uint32_t unused = 0;
  uint64_t bytes;
};
inline constexpr char kMagic[8] = {'s', 't', 'a', 'n', 'd', '-', 'i', 'n'};

// Memory of the device.
struct Range {
  unsigned long long from;
  size_t bytes;
};
// `what` runs in stream order, with the device's memory open to it. The driver's error where the
// calling thread may not ask, or a range lies within no one block; 0: none.
int ask_on_stream(void* stream, const std::vector<Range>& ranges, std::function<void()> what);

// Of CUDA_STAND_IN_<name>.
inline long number(const char* name, long fallback) {
  const char* set = std::getenv((std::string("CUDA_STAND_IN_") + name).c_str());
  return set && *set ? std::strtol(set, nullptr, 10) : fallback;
}

}  // namespace fusillade::stand_in
