// The native model: float, double and int64_t computing as C++ does on IEEE hardware; of narrower
// integers what int64_t gives, cut to their size, where that needs no more bits than they have.
//
// Each C type is wrapped in Native<T>, so that every model is a class whose functions formulas find
// by argument-dependent lookup. Integer arithmetic wraps. floor_div and floor_mod follow Python;
// division by zero gives 0 (operators raise before a kernel starts). Shifts by less than 0 or more
// than 63 give 0 (or the sign, for shr).
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "engine/scalar/number.h"

namespace fusillade {

template <class T>
struct Native {
  T v = 0;
  Native() = default;
  explicit Native(double literal) : v(static_cast<T>(literal)) {}
  static Native of(T value) {
    Native n;
    n.v = value;
    return n;
  }
  static constexpr bool kInt = std::is_integral_v<T>;
  static T wrap(uint64_t x) { return static_cast<T>(x); }

  friend Native operator-(Native a) {
    if constexpr (kInt) return of(wrap(0 - static_cast<uint64_t>(a.v)));
    else return of(-a.v);
  }
  friend Native operator+(Native a, Native b) {
    if constexpr (kInt) return of(wrap(static_cast<uint64_t>(a.v) + static_cast<uint64_t>(b.v)));
    else return of(a.v + b.v);
  }
  friend Native operator-(Native a, Native b) {
    if constexpr (kInt) return of(wrap(static_cast<uint64_t>(a.v) - static_cast<uint64_t>(b.v)));
    else return of(a.v - b.v);
  }
  friend Native operator*(Native a, Native b) {
    if constexpr (kInt) return of(wrap(static_cast<uint64_t>(a.v) * static_cast<uint64_t>(b.v)));
    else return of(a.v * b.v);
  }
  friend Native operator/(Native a, Native b)
    requires(!kInt)
  {
    return of(a.v / b.v);
  }
  friend bool operator<(Native a, Native b) { return a.v < b.v; }
  friend bool operator<=(Native a, Native b) { return a.v <= b.v; }
  friend bool operator>(Native a, Native b) { return a.v > b.v; }
  friend bool operator>=(Native a, Native b) { return a.v >= b.v; }
  friend bool operator==(Native a, Native b) { return a.v == b.v; }
  friend bool operator!=(Native a, Native b) { return a.v != b.v; }
  friend Native select(bool c, Native a, Native b) { return of(c ? a.v : b.v); }
};

// libm's functions, and those that it lacks, by the names of number.h. The CUDA text of one that
// CUDA lacks is in engine/kernel/cuda_prelude.cuh, of one that only C lacks in cuda_shim.cuh.
namespace libm {
using namespace std;

// exp(x^2) erfc(x); from 12 on the asymptotic series, as erfc vanishes.
template <std::floating_point T>
T erfcx(T x) {
  if constexpr (sizeof(T) == 4) {
    return static_cast<T>(erfcx(static_cast<double>(x)));
  } else {
    const T square = x * x;
    if (x < 12) {
      const T grown = std::exp(square);
      const T rest = 1 + std::fma(x, x, -square);
      return std::isinf(grown) ? grown : grown * std::erfc(x) * rest;
    }
    T sum = 1;
    for (int k = 23; k > 0; k -= 2) sum = 1 - sum * static_cast<T>(k) / (2 * square);
    return sum * T(0.564189583547756286948L) / x;
  }
}
}  // namespace libm

// libm's names; rint rounds half to even in the default mode.
#define FUS_NATIVE(f, op)                               \
  template <class T>                                    \
    requires std::is_floating_point_v<T>                \
  inline Native<T> f(Native<T> a) {                     \
    return Native<T>::of(static_cast<T>(libm::f(a.v))); \
  }
FUS_SCALAR_UNARY(FUS_NATIVE)
#undef FUS_NATIVE

// In place of libm's: lgamma writes the global signgam, which threads would race on.
inline Native<float> lgamma(Native<float> a) {
  int sign;
  return Native<float>::of(::lgammaf_r(a.v, &sign));
}
inline Native<double> lgamma(Native<double> a) {
  int sign;
  return Native<double>::of(::lgamma_r(a.v, &sign));
}

#define FUS_NATIVE(f, op)                                   \
  template <class T>                                        \
    requires std::is_floating_point_v<T>                    \
  inline Native<T> f(Native<T> a, Native<T> b) {            \
    return Native<T>::of(static_cast<T>(std::f(a.v, b.v))); \
  }
FUS_SCALAR_BINARY(FUS_NATIVE)
#undef FUS_NATIVE

using NativeInt = Native<int64_t>;

// The plain integer functions, shared with checking interpreters.
namespace integer {
inline int64_t trunc_div(int64_t a, int64_t b) {
  if (b == 0) return 0;
  return b == -1 ? static_cast<int64_t>(0 - static_cast<uint64_t>(a)) : a / b;
}
inline int64_t trunc_mod(int64_t a, int64_t b) { return b == 0 || b == -1 ? 0 : a % b; }
inline int64_t floor_mod(int64_t a, int64_t b) {
  int64_t r = trunc_mod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
inline int64_t floor_div(int64_t a, int64_t b) {
  int64_t q = trunc_div(a, b);
  int64_t r = trunc_mod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? q - 1 : q;
}
inline int64_t shl(int64_t a, int64_t b) {
  return b < 0 || b > 63 ? 0 : static_cast<int64_t>(static_cast<uint64_t>(a) << b);
}
inline int64_t shr(int64_t a, int64_t b) { return a >> (b < 0 || b > 63 ? 63 : b); }
// Wrapping power; a negative exponent gives 0 but for bases 1 and -1, as ATen.
inline int64_t pow(int64_t a, int64_t b) {
  if (b < 0) return a == 1 ? 1 : a == -1 ? (b % 2 == 0 ? 1 : -1) : 0;
  uint64_t result = 1;
  uint64_t base = static_cast<uint64_t>(a);
  for (; b; b >>= 1, base *= base) {
    if (b & 1) result *= base;
  }
  return static_cast<int64_t>(result);
}
}  // namespace integer

#define FUS_NATIVE(f) \
  inline NativeInt f(NativeInt a, NativeInt b) { return NativeInt::of(integer::f(a.v, b.v)); }
FUS_NATIVE(floor_div)
FUS_NATIVE(floor_mod)
FUS_NATIVE(trunc_div)
FUS_NATIVE(trunc_mod)
FUS_NATIVE(shl)
FUS_NATIVE(shr)
FUS_NATIVE(pow)
#undef FUS_NATIVE
#define FUS_NATIVE(f, op)                             \
  template <class T>                                  \
    requires std::is_integral_v<T>                    \
  inline Native<T> f(Native<T> a, Native<T> b) {      \
    return Native<T>::of(static_cast<T>(a.v op b.v)); \
  }
FUS_NATIVE(bit_and, &)
FUS_NATIVE(bit_or, |)
FUS_NATIVE(bit_xor, ^)
#undef FUS_NATIVE
template <class T>
  requires std::is_integral_v<T>
inline Native<T> bit_not(Native<T> a) {
  return Native<T>::of(static_cast<T>(~a.v));
}
inline NativeInt abs(NativeInt a) { return a.v < 0 ? -a : a; }

}  // namespace fusillade
