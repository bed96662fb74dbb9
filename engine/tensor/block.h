// Blocks: runs of elements brought into the compute type, and back.
//
// T is float, double or int64_t in the real domain. In the ring domain (see scalar/number.h) floats
// are integers: T is uint32_t for F32 compute, uint64_t for F64, int64_t for integers; a narrower
// payload is zero-extended, a wider one truncated, an integer becomes its residue, and a payload
// becomes the integer that its signed reading is. Out-of-range conversions: float to integer gives
// the most negative int64 for NaN and beyond int64, then wraps into the narrower type; integer to
// integer wraps; anything to bool is "!= 0"; double to f16 or bf16 goes through float.
#pragma once

#include <cstdint>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "engine/tensor/dtype.h"

namespace fusillade {

inline constexpr int64_t kBlock = 1024;  // elements per block in element-wise kernels

inline int64_t float_to_int(double v) {
#if defined(__SSE2__)
  return _mm_cvttsd_si64(_mm_set_sd(v));  // the one instruction that does the same
#else
  return v >= -0x1p63 && v < 0x1p63 ? static_cast<int64_t>(v) : INT64_MIN;
#endif
}

// out[i] = memory[i * stride] for i < n; stride in elements.
template <class T>
void load_block(DType dtype, const void* memory, int64_t stride, int64_t n, T* out);
// memory[i * stride] = in[i]
template <class T>
void store_block(DType dtype, void* memory, int64_t stride, int64_t n, const T* in);
// memory[i * stride] = in[i], for predicates: in holds bytes 0 and 1; dtype is Bool.
void store_bools(void* memory, int64_t stride, int64_t n, const uint8_t* in);
// Rounds values of the compute type to `dtype` and back, in place (a no-op for F32, F64, I64).
template <class T>
void round_block(DType dtype, int64_t n, T* values);

}  // namespace fusillade
