// What the two halves of libcuda_stand_in share: the machine code that its NVRTC makes and its
// driver loads, and what environment variables say.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

namespace fusillade::stand_in {

// Before the bytes of a shared object. For each kernel NAME it has run_NAME and sizes_NAME.
struct ImageHead {
  char magic[8];
  uint32_t capability;
  uint32_t unused = 0;
  uint64_t bytes;
};
inline constexpr char kMagic[8] = {'s', 't', 'a', 'n', 'd', '-', 'i', 'n'};

// Of CUDA_STAND_IN_<name>.
inline long number(const char* name, long fallback) {
  const char* set = std::getenv((std::string("CUDA_STAND_IN_") + name).c_str());
  return set && *set ? std::strtol(set, nullptr, 10) : fallback;
}

}  // namespace fusillade::stand_in
