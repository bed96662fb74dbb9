// What the text of every kernel starts with: types, and the functions that CUDA C has no word for.
// Their meaning is that of engine/scalar (native.h, ring.h) and engine/tensor/half.h.
typedef long long i64;
typedef unsigned long long u64;
typedef unsigned int u32;
typedef unsigned short u16;
#define FUS_FUNCTION static __device__ inline
#define FUS_LEAST (-9223372036854775807ll - 1)

FUS_FUNCTION float f32_bits(u32 bits) { return __int_as_float((int)bits); }
FUS_FUNCTION double f64_bits(u64 bits) { return __longlong_as_double((i64)bits); }

FUS_FUNCTION i64 wrap_neg(i64 a) { return (i64)(0 - (u64)a); }
FUS_FUNCTION i64 wrap_abs(i64 a) { return a < 0 ? wrap_neg(a) : a; }
FUS_FUNCTION i64 wrap_add(i64 a, i64 b) { return (i64)((u64)a + (u64)b); }
FUS_FUNCTION i64 wrap_sub(i64 a, i64 b) { return (i64)((u64)a - (u64)b); }
FUS_FUNCTION i64 wrap_mul(i64 a, i64 b) { return (i64)((u64)a * (u64)b); }
FUS_FUNCTION i64 trunc_div(i64 a, i64 b) { return b == 0 ? 0 : b == -1 ? wrap_neg(a) : a / b; }
FUS_FUNCTION i64 trunc_mod(i64 a, i64 b) { return b == 0 || b == -1 ? 0 : a % b; }
FUS_FUNCTION i64 floor_mod(i64 a, i64 b) {
  i64 r = trunc_mod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
FUS_FUNCTION i64 floor_div(i64 a, i64 b) {
  i64 r = trunc_mod(a, b);
  return trunc_div(a, b) - (r != 0 && (r < 0) != (b < 0) ? 1 : 0);
}
FUS_FUNCTION i64 shift_left(i64 a, i64 b) { return b < 0 || b > 63 ? 0 : (i64)((u64)a << b); }
FUS_FUNCTION i64 shift_right(i64 a, i64 b) { return a >> (b < 0 || b > 63 ? 63 : b); }
FUS_FUNCTION i64 wrap_pow(i64 a, i64 b) {
  if (b < 0) return a == 1 ? 1 : a == -1 ? (b % 2 == 0 ? 1 : -1) : 0;
  u64 result = 1;
  u64 base = (u64)a;
  for (; b != 0; b >>= 1) {
    if (b & 1) result *= base;
    base *= base;
  }
  return (i64)result;
}

// Out of range and NaN give the least integer.
FUS_FUNCTION i64 to_int(float x) { return x >= -0x1p63f && x < 0x1p63f ? (i64)x : FUS_LEAST; }
FUS_FUNCTION i64 to_int(double x) { return x >= -0x1p63 && x < 0x1p63 ? (i64)x : FUS_LEAST; }

FUS_FUNCTION float from_half(u16 h) {
  u32 sign = (u32)(h & 0x8000u) << 16;
  u32 exponent = (h >> 10) & 31u;
  u32 fraction = h & 0x3ffu;
  if (exponent == 31)
    return f32_bits(sign | 0x7f800000u | fraction << 13 | (fraction ? 0x400000u : 0u));
  if (exponent == 0) return f32_bits(sign | (u32)__float_as_int((float)fraction * 0x1p-24f));
  return f32_bits(sign | (exponent + 112u) << 23 | fraction << 13);
}
// To the nearest, ties to even. Below the least normal half the sum with 0.5 rounds.
FUS_FUNCTION u16 to_half(float x) {
  u32 bits = (u32)__float_as_int(x);
  u32 sign = bits >> 16 & 0x8000u;
  u32 size = bits & 0x7fffffffu;
  if (size > 0x7f800000u) return (u16)(sign | 0x7e00u | (size >> 13 & 0x3ffu));
  if (size >= 0x477ff000u) return (u16)(sign | 0x7c00u);
  if (size < 0x38800000u)
    return (u16)(sign | ((u32)__float_as_int(f32_bits(size) + 0.5f) - 0x3f000000u));
  return (u16)(sign | (size + 0xfffu + (size >> 13 & 1u) - 0x38000000u) >> 13);
}
FUS_FUNCTION float from_bfloat16(u16 h) { return f32_bits((u32)h << 16); }
FUS_FUNCTION u16 to_bfloat16(float x) {
  u32 bits = (u32)__float_as_int(x);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return (u16)(bits >> 16 | 0x40u);
  return (u16)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

// The value as thread `from` of the same warp has it.
FUS_FUNCTION u32 warp_mask() {
  u32 threads = blockDim.x * blockDim.y * blockDim.z;
  u32 mine = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  u32 left = threads - mine / 32u * 32u;
  return left >= 32u ? 0xffffffffu : (1u << left) - 1u;
}
template <class T>
FUS_FUNCTION T shuffle(T value, i64 from) {
  return __shfl_sync(warp_mask(), value, (int)from);
}
FUS_FUNCTION bool shuffle(bool value, i64 from) {
  return __shfl_sync(warp_mask(), value ? 1 : 0, (int)from) != 0;
}

// Neighbours that are loaded and stored at once. What stands here for a check of the address is
// nothing on a GPU, which faults by itself.
#ifndef FUS_WIDE
#define FUS_WIDE(address, bytes)
#endif
template <class T, int n>
struct alignas(sizeof(T) * n) Wide {
  T at[n];
};
template <class T, int n>
FUS_FUNCTION void load_wide(const T* from, Wide<T, n>& to) {
  FUS_WIDE(from, sizeof(Wide<T, n>))
  to = *reinterpret_cast<const Wide<T, n>*>(from);
}
template <class T, int n>
FUS_FUNCTION void store_wide(T* to, const Wide<T, n>& from) {
  FUS_WIDE(to, sizeof(Wide<T, n>))
  *reinterpret_cast<Wide<T, n>*>(to) = from;
}

// Integers standing in for floats.
FUS_FUNCTION u64 ring_mix(u64 x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ull;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebull;
  return x ^ x >> 31;
}
FUS_FUNCTION u64 ring_hash(u64 tag, u64 a, u64 b) {
  return ring_mix(ring_mix(ring_mix(tag * 0x9e3779b97f4a7c15ull) ^ a) + b * 0xd1342543de82ef95ull);
}
FUS_FUNCTION u64 ring_inverse(u64 odd) {
  u64 x = odd;
  for (int i = 0; i < 5; ++i) x *= 2 - odd * x;
  return x;
}
template <class T>
FUS_FUNCTION T ring_div(T a, T b) {
  return a * (T)(b & 1 ? ring_inverse(b) : ring_hash(1000, b, 0));
}
