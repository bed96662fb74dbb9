// NVIDIA's run-time compiler of CUDA C, where it is: it needs no GPU.
#pragma once

#include <string>

namespace fusillade::kernel {

// What may help then: said behind "NVRTC is ".
inline constexpr const char* kNoNvrtc =
    "not here: FUSILLADE_NVRTC names its library (of pip's nvidia-cuda-nvrtc); in a clone "
    "ci/setup.sh --cuda gets it";
// "13.0"; "" where it is not here.
std::string nvrtc_version();
int nvrtc_number();                // 13000; 0 where it is not here
std::string nvrtc_identity();      // which one, for keys of its output
bool nvrtc_knows(int capability);  // of a GPU: 90

inline constexpr int kUsualCapability = 90;  // where there is no GPU to ask
// Compiles for GPUs of this capability, without contraction of a * b + c. Gives machine code (a
// cubin). Throws Unsupported where the compiler is not here, Bug with what it says where it refuses
// the text. `notes` gets what its assembler says of each kernel: registers, bytes spilled.
std::string nvrtc_compile(const std::string& text, int capability = kUsualCapability,
                          std::string* notes = nullptr);

}  // namespace fusillade::kernel
