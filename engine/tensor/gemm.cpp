// See gemm.h.
#include "engine/tensor/gemm.h"

#include <type_traits>

namespace fusillade {

bool has_avx512() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}

namespace {

template <class T>
const Gemm<T>* chosen() {
#if defined(__x86_64__) && defined(__clang__)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return nullptr;
  if constexpr (std::is_same_v<T, float>) return has_avx512() ? &avx512::kFloats : &avx2::kFloats;
  else return has_avx512() ? &avx512::kDoubles : &avx2::kDoubles;
#else
  return nullptr;
#endif
}

}  // namespace

template <class T>
const Gemm<T>* gemm_kernels() {
  static const Gemm<T>* const one = chosen<T>();
  return one;
}
template const Gemm<float>* gemm_kernels();
template const Gemm<double>* gemm_kernels();

}  // namespace fusillade
