// See dual.h. Every function by its derivative; a direction of 0 stays 0 where the slope is
// infinite.
#include "engine/scalar/dual.h"

namespace fusillade {
namespace {

Dual along(double v, double slope, Dual a) { return Dual::of(v, a.d == 0 ? 0 : slope * a.d); }

// The derivative of lgamma: moved up to where its series holds, and from the other side of the
// poles.
double digamma(double x) {
  if (x <= 0) return x == std::floor(x) ? NAN : digamma(1 - x) - M_PI / std::tan(M_PI * x);
  double sum = 0;
  for (; x < 12; ++x) sum -= 1 / x;
  const double y = 1 / (x * x);
  const double series =
      y * (1.0 / 12 - y * (1.0 / 120 - y * (1.0 / 252 - y * (1.0 / 240 - y * (1.0 / 132)))));
  return sum + std::log(x) - 0.5 / x - series;
}

constexpr double kTwoOverRootPi = 1.1283791670955126;

}  // namespace

Dual abs(Dual a) { return along(std::abs(a.v), a.v < 0 ? -1 : a.v > 0 ? 1 : 0, a); }
Dual floor(Dual a) { return Dual(std::floor(a.v)); }
Dual ceil(Dual a) { return Dual(std::ceil(a.v)); }
Dual trunc(Dual a) { return Dual(std::trunc(a.v)); }
Dual rint(Dual a) { return Dual(std::rint(a.v)); }
Dual sqrt(Dual a) { return along(std::sqrt(a.v), 0.5 / std::sqrt(a.v), a); }
Dual exp(Dual a) { return along(std::exp(a.v), std::exp(a.v), a); }
Dual expm1(Dual a) { return along(std::expm1(a.v), std::exp(a.v), a); }
Dual log(Dual a) { return along(std::log(a.v), 1 / a.v, a); }
Dual log1p(Dual a) { return along(std::log1p(a.v), 1 / (1 + a.v), a); }
Dual log2(Dual a) { return along(std::log2(a.v), 1 / (a.v * M_LN2), a); }
Dual log10(Dual a) { return along(std::log10(a.v), 1 / (a.v * M_LN10), a); }
Dual sin(Dual a) { return along(std::sin(a.v), std::cos(a.v), a); }
Dual cos(Dual a) { return along(std::cos(a.v), -std::sin(a.v), a); }
Dual tan(Dual a) {
  const double t = std::tan(a.v);
  return along(t, 1 + t * t, a);
}
Dual asin(Dual a) { return along(std::asin(a.v), 1 / std::sqrt(1 - a.v * a.v), a); }
Dual acos(Dual a) { return along(std::acos(a.v), -1 / std::sqrt(1 - a.v * a.v), a); }
Dual atan(Dual a) { return along(std::atan(a.v), 1 / (1 + a.v * a.v), a); }
Dual sinh(Dual a) { return along(std::sinh(a.v), std::cosh(a.v), a); }
Dual cosh(Dual a) { return along(std::cosh(a.v), std::sinh(a.v), a); }
Dual tanh(Dual a) {
  const double t = std::tanh(a.v);
  return along(t, 1 - t * t, a);
}
Dual erf(Dual a) { return along(std::erf(a.v), kTwoOverRootPi * std::exp(-a.v * a.v), a); }
Dual erfc(Dual a) { return along(std::erfc(a.v), -kTwoOverRootPi * std::exp(-a.v * a.v), a); }
Dual lgamma(Dual a) {
  int sign;
  return along(::lgamma_r(a.v, &sign), digamma(a.v), a);
}

Dual pow(Dual a, Dual b) {
  const double v = std::pow(a.v, b.v);
  const double by_base = a.d == 0 || b.v == 0 ? 0 : b.v * std::pow(a.v, b.v - 1) * a.d;
  const double by_exponent = b.d == 0 || (a.v == 0 && b.v >= 0) ? 0 : v * std::log(a.v) * b.d;
  return Dual::of(v, by_base + by_exponent);
}

Dual atan2(Dual a, Dual b) {
  const double square = a.v * a.v + b.v * b.v;
  return Dual::of(std::atan2(a.v, b.v), (a.d * b.v - a.v * b.d) / square);
}

Dual fmod(Dual a, Dual b) {
  return Dual::of(std::fmod(a.v, b.v), a.d - std::trunc(a.v / b.v) * b.d);
}

}  // namespace fusillade
