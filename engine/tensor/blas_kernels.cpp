// See blas_kernels.h.
#include "engine/tensor/blas_kernels.h"

#include <cstdlib>

// OpenBLAS' own, in no header of it; absent where it was built for one processor alone.
extern "C" {
__attribute__((weak)) char* openblas_get_corename();
__attribute__((weak)) void gotoblas_dynamic_init();
__attribute__((weak)) void gotoblas_dynamic_quit();
}

namespace fusillade {
namespace {

constexpr char kAsked[] = "OPENBLAS_CORETYPE";

// The newest kernels whose instructions this processor has. Null: none newer than SSE3's.
const char* newest() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512vl"))
    return "Cooperlake";
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"))
    return "SkylakeX";
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "Haswell";
#endif
  return nullptr;
}

// Age of kernels by the instructions they use; those not listed here count as the newest.
int age(const std::string& kernels) {
  if (kernels == "Prescott") return 2;
  return kernels == "Haswell" || kernels == "Zen" ? 1 : 0;
}

std::string select_kernels() {
  if (!openblas_get_corename) return "unknown";
  const char* better = newest();
  const bool newer = better && age(better) < age(openblas_get_corename());
  if (newer && !std::getenv(kAsked) && gotoblas_dynamic_init && gotoblas_dynamic_quit) {
    setenv(kAsked, better, 1);
    gotoblas_dynamic_quit();
    gotoblas_dynamic_init();
    unsetenv(kAsked);
  }
  return openblas_get_corename();
}

}  // namespace

const std::string& blas_kernels() {
  static const std::string name = select_kernels();
  return name;
}

}  // namespace fusillade
