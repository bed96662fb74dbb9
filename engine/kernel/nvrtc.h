// NVIDIA's run-time compiler of CUDA C, where it is: it needs no GPU.
#pragma once

#include <string>

namespace fusillade::kernel {

// "13.0"; "" where it is not here.
std::string nvrtc_version();
// Compiles for sm_90, without contraction of a * b + c. Gives machine code (a cubin). Throws
// Unsupported where the compiler is not here, Bug with what it says where it refuses the text.
std::string nvrtc_compile(const std::string& text);

}  // namespace fusillade::kernel
