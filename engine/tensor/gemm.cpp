// See gemm.h and filter.h.
#include "engine/tensor/gemm.h"

#include "engine/tensor/filter.h"
#include "engine/tensor/wrapping_blocks.h"

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

template <class U>
WrappingProduct<U> plain() {
  return &WrappingBlocks<U, 16>::run;
}

#if defined(__x86_64__) && defined(__clang__)
template <class Kernels>
const Kernels* select_kernels(const Kernels& wide, const Kernels& narrow) {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return nullptr;
  return has_avx512() ? &wide : &narrow;
}

const Gemm<float>* products(float) { return select_kernels(avx512::kFloats, avx2::kFloats); }
const Gemm<double>* products(double) { return select_kernels(avx512::kDoubles, avx2::kDoubles); }
const FilterSums<float>* filters(float) {
  return select_kernels(avx512::kFloatFilters, avx2::kFloatFilters);
}
const FilterSums<double>* filters(double) {
  return select_kernels(avx512::kDoubleFilters, avx2::kDoubleFilters);
}
WrappingProduct<uint32_t> wrapping(uint32_t) {
  const auto* one = select_kernels(avx512::kWrapping32, avx2::kWrapping32);
  return one ? *one : plain<uint32_t>();
}
WrappingProduct<uint64_t> wrapping(uint64_t) {
  const auto* one = select_kernels(avx512::kWrapping64, avx2::kWrapping64);
  return one ? *one : plain<uint64_t>();
}
#else
template <class U>
WrappingProduct<U> wrapping(U) {
  return plain<U>();
}
template <class T>
const Gemm<T>* products(T) {
  return nullptr;
}
template <class T>
const FilterSums<T>* filters(T) {
  return nullptr;
}
#endif

}  // namespace

template <class T>
const Gemm<T>* gemm_kernels() {
  static const Gemm<T>* const one = products(T());
  return one;
}
template const Gemm<float>* gemm_kernels();
template const Gemm<double>* gemm_kernels();

template <class U>
WrappingProduct<U> wrapping_product() {
  static const WrappingProduct<U> one = wrapping(U());
  return one;
}
template WrappingProduct<uint32_t> wrapping_product();
template WrappingProduct<uint64_t> wrapping_product();

template <class T>
const FilterSums<T>* filter_sums() {
  static const FilterSums<T>* const one = filters(T());
  return one;
}
template const FilterSums<float>* filter_sums();
template const FilterSums<double>* filter_sums();

}  // namespace fusillade
