// Dual numbers: a value and its derivative in one direction, exact up to the rounding of doubles.
//
// A formula computed on them says how its result moves when its operands move along theirs: what a
// gradient written as text is checked against. Comparisons look at values alone, so at a kink the
// side is the one that `select` takes; floor and its like have no slope.
#pragma once

#include <cmath>

#include "engine/scalar/number.h"

namespace fusillade {

struct Dual {
  double v = 0;
  double d = 0;
  Dual() = default;
  explicit Dual(double literal) : v(literal) {}
  static Dual of(double v, double d) {
    Dual x(v);
    x.d = d;
    return x;
  }
  friend Dual operator-(Dual a) { return of(-a.v, -a.d); }
  friend Dual operator+(Dual a, Dual b) { return of(a.v + b.v, a.d + b.d); }
  friend Dual operator-(Dual a, Dual b) { return of(a.v - b.v, a.d - b.d); }
  friend Dual operator*(Dual a, Dual b) { return of(a.v * b.v, a.d * b.v + a.v * b.d); }
  friend Dual operator/(Dual a, Dual b) { return of(a.v / b.v, (a.d - a.v / b.v * b.d) / b.v); }
  friend bool operator<(Dual a, Dual b) { return a.v < b.v; }
  friend bool operator<=(Dual a, Dual b) { return a.v <= b.v; }
  friend bool operator>(Dual a, Dual b) { return a.v > b.v; }
  friend bool operator>=(Dual a, Dual b) { return a.v >= b.v; }
  friend bool operator==(Dual a, Dual b) { return a.v == b.v; }
  friend bool operator!=(Dual a, Dual b) { return a.v != b.v; }
  friend Dual select(bool c, Dual a, Dual b) { return c ? a : b; }
};

#define FUS_DECLARE(f, op) Dual f(Dual a);
FUS_SCALAR_UNARY(FUS_DECLARE)
#undef FUS_DECLARE
#define FUS_DECLARE(f, op) Dual f(Dual a, Dual b);
FUS_SCALAR_BINARY(FUS_DECLARE)
#undef FUS_DECLARE

}  // namespace fusillade
