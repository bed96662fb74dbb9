// Ring: integers modulo 2^n standing in for floats, so that every identity of commutative rings
// holds bitwise and wrong indices, masks, tails, layouts, CSE or aliasing show with no tolerance at
// all.
//
// T is uint32_t (for F32 compute) or uint64_t (F64). + - * are the ring's; a / b multiplies by b's
// inverse when b is odd (so x/1 == x) and by a tagged hash of b otherwise; order compares the
// signed payload; every other function is a tagged hash of its arguments (equal arguments, equal
// results). Literals: integers map to themselves, other doubles to a hash that respects negation.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "engine/scalar/number.h"

namespace fusillade {

uint64_t ring_hash(uint64_t tag, uint64_t a, uint64_t b = 0);
uint64_t ring_literal(double value);
uint64_t ring_inverse(uint64_t odd);  // modulo 2^64; truncates to the inverse modulo 2^32

template <class T>
struct Ring {
  T v = 0;
  Ring() = default;
  explicit Ring(double literal) : v(static_cast<T>(ring_literal(literal))) {}
  static Ring of(T value) {
    Ring r;
    r.v = value;
    return r;
  }
  using Signed = std::make_signed_t<T>;
  friend Ring operator-(Ring a) { return of(T(0) - a.v); }
  friend Ring operator+(Ring a, Ring b) { return of(a.v + b.v); }
  friend Ring operator-(Ring a, Ring b) { return of(a.v - b.v); }
  friend Ring operator*(Ring a, Ring b) { return of(a.v * b.v); }
  friend Ring operator/(Ring a, Ring b) {
    T inv = (b.v & 1) ? T(ring_inverse(b.v)) : T(ring_hash(1000, b.v));
    return of(a.v * inv);
  }
  friend bool operator<(Ring a, Ring b) { return Signed(a.v) < Signed(b.v); }
  friend bool operator<=(Ring a, Ring b) { return Signed(a.v) <= Signed(b.v); }
  friend bool operator>(Ring a, Ring b) { return b < a; }
  friend bool operator>=(Ring a, Ring b) { return b <= a; }
  friend bool operator==(Ring a, Ring b) { return a.v == b.v; }
  friend bool operator!=(Ring a, Ring b) { return a.v != b.v; }
  friend Ring select(bool c, Ring a, Ring b) { return c ? a : b; }
  friend Ring abs(Ring a) { return Signed(a.v) < 0 ? -a : a; }
};

enum class RingTag : uint64_t {
#define FUS_TAG(f, op) k_##f,
  FUS_SCALAR_UNARY(FUS_TAG) FUS_SCALAR_BINARY(FUS_TAG)
#undef FUS_TAG
};

#define FUS_DEFINE(f, op)                                                \
  template <class T>                                                     \
    requires(RingTag::k_##f != RingTag::k_abs)                           \
  Ring<T> f(Ring<T> a) {                                                 \
    return Ring<T>::of(T(ring_hash(uint64_t(RingTag::k_##f) + 1, a.v))); \
  }
FUS_SCALAR_UNARY(FUS_DEFINE)
#undef FUS_DEFINE
#define FUS_DEFINE(f, op)                                                     \
  template <class T>                                                          \
  Ring<T> f(Ring<T> a, Ring<T> b) {                                           \
    return Ring<T>::of(T(ring_hash(uint64_t(RingTag::k_##f) + 1, a.v, b.v))); \
  }
FUS_SCALAR_BINARY(FUS_DEFINE)
#undef FUS_DEFINE

}  // namespace fusillade
