// The native model, several elements at once: Lanes<float> and Lanes<double> are one register of
// the machine that eager kernels are built for. Arithmetic is Native's, lane by lane; the
// transcendental functions are libmvec's where it has them (see libmvec.h), else each lane's of
// libm.
#pragma once

#include <cmath>
#include <cstdint>

#include "engine/scalar/native.h"

namespace fusillade {

#if defined(__AVX2__)
inline constexpr int kLaneBytes = 32;
#else
inline constexpr int kLaneBytes = 16;
#endif

template <class T, int kBytes = kLaneBytes>
struct Lanes {
  static constexpr int kCount = kBytes / static_cast<int>(sizeof(T));
  using Bits = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  typedef T Vector __attribute__((vector_size(kBytes)));
  typedef Bits Mask __attribute__((vector_size(kBytes)));  // all ones, or none

  struct Condition {
    Mask v;
    friend Condition operator!(Condition c) { return {~c.v}; }
    friend Condition operator&(Condition a, Condition b) { return {a.v & b.v}; }
    friend Condition operator|(Condition a, Condition b) { return {a.v | b.v}; }
  };

  Vector v{};
  Lanes() = default;
  explicit Lanes(double literal) {
    for (int i = 0; i < kCount; ++i) v[i] = static_cast<T>(literal);
  }
  static Lanes of(Vector value) {
    Lanes n;
    n.v = value;
    return n;
  }

  friend Lanes operator-(Lanes a) { return of(-a.v); }
  friend Lanes operator+(Lanes a, Lanes b) { return of(a.v + b.v); }
  friend Lanes operator-(Lanes a, Lanes b) { return of(a.v - b.v); }
  friend Lanes operator*(Lanes a, Lanes b) { return of(a.v * b.v); }
  friend Lanes operator/(Lanes a, Lanes b) { return of(a.v / b.v); }
  friend Condition operator<(Lanes a, Lanes b) { return {a.v < b.v}; }
  friend Condition operator<=(Lanes a, Lanes b) { return {a.v <= b.v}; }
  friend Condition operator>(Lanes a, Lanes b) { return {a.v > b.v}; }
  friend Condition operator>=(Lanes a, Lanes b) { return {a.v >= b.v}; }
  friend Condition operator==(Lanes a, Lanes b) { return {a.v == b.v}; }
  friend Condition operator!=(Lanes a, Lanes b) { return {a.v != b.v}; }
  friend Lanes select(Condition c, Lanes a, Lanes b) { return of(c.v ? a.v : b.v); }
};

// The functions on one register; null where each lane is computed alone. Filled before main().
template <class T, int kBytes>
struct LaneFunctions {
  using Vector = typename Lanes<T, kBytes>::Vector;
#define FUS_LANES(f, op) Vector (*f)(Vector) = nullptr;
  FUS_SCALAR_UNARY(FUS_LANES)
#undef FUS_LANES
#define FUS_LANES(f, op) Vector (*f)(Vector, Vector) = nullptr;
  FUS_SCALAR_BINARY(FUS_LANES)
#undef FUS_LANES
  static LaneFunctions table;
};
template <>
LaneFunctions<float, 16> LaneFunctions<float, 16>::table;
template <>
LaneFunctions<double, 16> LaneFunctions<double, 16>::table;
template <>
LaneFunctions<float, 32> LaneFunctions<float, 32>::table;
template <>
LaneFunctions<double, 32> LaneFunctions<double, 32>::table;

#define FUS_LANES(f, op)                                                                      \
  template <class T, int kBytes>                                                              \
  inline Lanes<T, kBytes> f(Lanes<T, kBytes> a) {                                             \
    if (auto* all = LaneFunctions<T, kBytes>::table.f) return Lanes<T, kBytes>::of(all(a.v)); \
    for (int i = 0; i < Lanes<T, kBytes>::kCount; ++i) a.v[i] = f(Native<T>::of(a.v[i])).v;   \
    return a;                                                                                 \
  }
FUS_SCALAR_UNARY(FUS_LANES)
#undef FUS_LANES

#define FUS_LANES(f, op)                                                                           \
  template <class T, int kBytes>                                                                   \
  inline Lanes<T, kBytes> f(Lanes<T, kBytes> a, Lanes<T, kBytes> b) {                              \
    if (auto* all = LaneFunctions<T, kBytes>::table.f) return Lanes<T, kBytes>::of(all(a.v, b.v)); \
    for (int i = 0; i < Lanes<T, kBytes>::kCount; ++i)                                             \
      a.v[i] = f(Native<T>::of(a.v[i]), Native<T>::of(b.v[i])).v;                                  \
    return a;                                                                                      \
  }
FUS_SCALAR_BINARY(FUS_LANES)
#undef FUS_LANES

#if defined(__FMA__)
// C's fmod is exact, and so is x - trunc(x / y) * y where the quotient is not too long: of floats
// in doubles, of doubles in one fused step, after which a quotient that was rounded up to a whole
// number shows by the sign of the rest. A register with a longer quotient, with an infinite divisor
// or with none goes lane by lane.
template <class T, int kBytes>
inline Lanes<T, kBytes> fmod_each(Lanes<T, kBytes> a, Lanes<T, kBytes> b) {
  for (int i = 0; i < Lanes<T, kBytes>::kCount; ++i) a.v[i] = std::fmod(a.v[i], b.v[i]);
  return a;
}

template <int kBytes>
inline Lanes<float, kBytes> fmod(Lanes<float, kBytes> a, Lanes<float, kBytes> b) {
  using Wide = typename Lanes<double, 2 * kBytes>::Vector;
  using Whole = typename Lanes<float, kBytes>::Mask;
  const Wide x = __builtin_convertvector(a.v, Wide), y = __builtin_convertvector(b.v, Wide);
  const Wide quotient = x / y;
  const auto good = (quotient < 0x1p28) & (quotient > -0x1p28) & (y - y == 0);
  int64_t all = -1;
  for (int i = 0; i < a.kCount; ++i) all &= good[i];
  if (all == 0) return fmod_each(a, b);
  const Wide whole = __builtin_convertvector(__builtin_convertvector(quotient, Whole), Wide);
  Lanes<float, kBytes> rest;
  rest.v = __builtin_convertvector(x - whole * y, decltype(rest.v));
  for (int i = 0; i < a.kCount; ++i) rest.v[i] = std::copysign(rest.v[i], a.v[i]);
  return rest;
}

template <int kBytes>
inline Lanes<double, kBytes> fmod(Lanes<double, kBytes> a, Lanes<double, kBytes> b) {
  using N = Lanes<double, kBytes>;
  const auto quotient = a.v / b.v;
  const auto good = (quotient < 0x1p52) & (quotient > -0x1p52) & (b.v - b.v == 0);
  int64_t all = -1;
  for (int i = 0; i < N::kCount; ++i) all &= good[i];
  if (all == 0) return fmod_each(a, b);
  N rest, turned;
  for (int i = 0; i < N::kCount; ++i) {
    rest.v[i] = std::fma(-std::trunc(quotient[i]), b.v[i], a.v[i]);
    turned.v[i] = std::copysign(b.v[i], a.v[i]);
  }
  const auto beyond = (rest.v < 0) != (a.v < 0);
  rest.v = (beyond & (rest.v != 0)) ? rest.v + turned.v : rest.v;
  for (int i = 0; i < N::kCount; ++i) rest.v[i] = std::copysign(rest.v[i], a.v[i]);
  return rest;
}
#endif

}  // namespace fusillade
