// Functions of numbers: what each may give (Bounded) and how it moves (Dual), side by side.
//
// A new function is its line in number.h and an entry here. Its native form is libm's of that name,
// or one in native.h. Where libmvec has it, registers compute with that; elsewhere they go element
// by element. An expression of it, its name in kernels and its C text follow from the line. A back
// end may write it as instructions (engine/kernel/llvm_functions.cpp).
//
// How far an implementation may be from the true value is in ulps of the compute type, the largest
// over all back ends (accuracy.h).
#include <algorithm>
#include <cmath>

#include "engine/scalar/accuracy.h"
#include "engine/scalar/bounded_forms.h"
#include "engine/scalar/dual.h"
#include "engine/scalar/native.h"

namespace fusillade {

using namespace bounds;

namespace {

// A direction of 0 stays 0 where the slope is infinite.
Dual along(double v, double slope, Dual a) { return Dual::of(v, a.d == 0 ? 0 : slope * a.d); }

constexpr double kTwoOverRootPi = 1.1283791670955126;

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

}  // namespace

// The derivative of libm's function f at x, where it gives y.
#define FUS_SLOPE(f, slope)                               \
  Dual f(Dual a) {                                        \
    [[maybe_unused]] const double x = a.v, y = std::f(x); \
    return along(y, slope, a);                            \
  }

Bounded abs(Bounded a) {
  if (a.must_nan) return a;
  Bounded r = a;
  double x = std::fabs(a.lo);
  double y = std::fabs(a.hi);
  r.lo = contains_zero(a) ? 0 : std::min(x, y);
  r.hi = std::max(x, y);
  r.zero_sign_known = true;
  return r;
}
FUS_SLOPE(abs, x < 0 ? -1 : x > 0 ? 1 : 0)

Bounded floor(Bounded a) {
  return step_function(a, [](double x) { return std::floor(x); });
}
FUS_SLOPE(floor, 0)

Bounded ceil(Bounded a) {
  return step_function(a, [](double x) { return std::ceil(x); });
}
FUS_SLOPE(ceil, 0)

Bounded trunc(Bounded a) {
  return step_function(a, [](double x) { return std::trunc(x); });
}
FUS_SLOPE(trunc, 0)

Bounded rint(Bounded a) {
  return step_function(a, [](double x) { return std::nearbyint(x); });
}
FUS_SLOPE(rint, 0)

Bounded sqrt(Bounded a) {
  if (a.must_nan || a.hi < 0) return nan_only();
  return rounded_bounds(std::sqrt(std::max(a.lo, -0.0)), std::sqrt(a.hi), a.may_nan || a.lo < 0,
                        a.zero_sign_known);
}
FUS_SLOPE(sqrt, 0.5 / y)

Bounded exp(Bounded a) {
  return increasing("exp", a, [](double x) { return std::exp(x); }, 0);
}
FUS_SLOPE(exp, y)

Bounded exp2(Bounded a) {
  return increasing("exp2", a, [](double x) { return std::exp2(x); }, 0);
}
FUS_SLOPE(exp2, y* M_LN2)

Bounded expm1(Bounded a) {
  return increasing("expm1", a, [](double x) { return std::expm1(x); }, -1);
}
FUS_SLOPE(expm1, std::exp(x))

Bounded log(Bounded a) {
  return increasing_on("log", a, 0, INFINITY, [](double x) { return std::log(x); });
}
FUS_SLOPE(log, 1 / x)

Bounded log1p(Bounded a) {
  return increasing_on("log1p", a, -1, INFINITY, [](double x) { return std::log1p(x); });
}
FUS_SLOPE(log1p, 1 / (1 + x))

Bounded log2(Bounded a) {
  return increasing_on("log2", a, 0, INFINITY, [](double x) { return std::log2(x); });
}
FUS_SLOPE(log2, 1 / (x * M_LN2))

Bounded log10(Bounded a) {
  return increasing_on("log10", a, 0, INFINITY, [](double x) { return std::log10(x); });
}
FUS_SLOPE(log10, 1 / (x * M_LN10))

Bounded sin(Bounded a) {
  return periodic("sin", a, [](double x) { return std::sin(x); }, M_PI / 2);
}
FUS_SLOPE(sin, std::cos(x))

Bounded cos(Bounded a) {
  return periodic("cos", a, [](double x) { return std::cos(x); }, 0);
}
FUS_SLOPE(cos, -std::sin(x))

Bounded tan(Bounded a) {
  if (a.must_nan || (std::isinf(a.lo) && a.lo == a.hi)) return nan_only();
  bool wide = has_inf(a) || a.hi - a.lo >= M_PI || crosses(a.lo, a.hi, M_PI / 2, M_PI);
  if (a.lo != a.hi && wide) return Bounded::range(-INFINITY, INFINITY, a.may_nan || has_inf(a));
  return increasing("tan", a, [](double x) { return std::tan(x); });
}
FUS_SLOPE(tan, 1 + y * y)

Bounded asin(Bounded a) {
  return increasing_on("asin", a, -1, 1, [](double x) { return std::asin(x); });
}
FUS_SLOPE(asin, 1 / std::sqrt(1 - x * x))

Bounded acos(Bounded a) {
  return increasing_on("acos", -a, -1, 1, [](double x) { return std::acos(-x); });
}
FUS_SLOPE(acos, -1 / std::sqrt(1 - x * x))

Bounded atan(Bounded a) {
  return increasing("atan", a, [](double x) { return std::atan(x); });
}
FUS_SLOPE(atan, 1 / (1 + x * x))

Bounded sinh(Bounded a) {
  return increasing("sinh", a, [](double x) { return std::sinh(x); });
}
FUS_SLOPE(sinh, std::cosh(x))

Bounded cosh(Bounded a) {
  return increasing("cosh", abs(a), [](double x) { return std::cosh(x); }, 1);
}
FUS_SLOPE(cosh, std::sinh(x))

Bounded tanh(Bounded a) {
  return increasing("tanh", a, [](double x) { return std::tanh(x); }, -1, 1);
}
FUS_SLOPE(tanh, 1 - y * y)

Bounded asinh(Bounded a) {
  return increasing("asinh", a, [](double x) { return std::asinh(x); });
}
FUS_SLOPE(asinh, 1 / std::hypot(x, 1))

Bounded erf(Bounded a) {
  return increasing("erf", a, [](double x) { return std::erf(x); }, -1, 1);
}
FUS_SLOPE(erf, kTwoOverRootPi* std::exp(-x* x))

Bounded erfc(Bounded a) {
  return increasing("erfc", -a, [](double x) { return std::erfc(-x); }, 0, 2);
}
FUS_SLOPE(erfc, -kTwoOverRootPi* std::exp(-x* x))

// In long doubles, of which a double never falls where it should rise.
Bounded erfcx(Bounded a) {
  const auto f = [](long double x) { return static_cast<double>(libm::erfcx(-x)); };
  return increasing("erfcx", -a, f, 0);
}
Dual erfcx(Dual a) {
  const double y = libm::erfcx(a.v);
  return along(y, 2 * a.v * y - kTwoOverRootPi, a);
}

#undef FUS_SLOPE

Bounded lgamma(Bounded a) {
  if (a.must_nan) return a;
  auto f = [](double x) { return lgamma(Native<double>::of(x)).v; };
  if (a.lo != a.hi && a.lo < 2) return Bounded::range(-INFINITY, INFINITY, a.may_nan);
  double lo = f(a.lo);
  double hi = f(a.hi);
  double slack = std::max(accuracy::kLgamma, ulps("lgamma")) * ulp_of(std::max(1.0, std::fabs(hi)));
  // Negative arguments cancel further: the nearest pole or zero decides.
  if (a.lo < 0) return Bounded::range(-INFINITY, INFINITY, a.may_nan);
  if (std::isinf(lo)) slack = 0;
  return approximate(lo - slack, hi + slack, a.may_nan, ulps("lgamma"));
}
Dual lgamma(Dual a) { return along(lgamma(Native<double>::of(a.v)).v, digamma(a.v), a); }

Bounded pow(Bounded a, Bounded b) {
  if (Precision::current() == Model::I64) return Bounded::all();
  bool points = a.is_exact() && b.is_exact();
  if (points) {
    double v = std::pow(a.lo, b.lo);
    if (std::isnan(v)) return nan_only();
    // A zero of unknown sign to a negative odd power is either infinity.
    if (a.lo == 0 && !a.zero_sign_known && b.lo < 0) return Bounded::all();
    if (a.lo == 0 && !a.zero_sign_known && b.lo > 0) {
      Bounded zero = Bounded::exact(0);
      zero.zero_sign_known = false;
      return zero;
    }
    // What C's Annex F says exactly; a power that merely rounds to 1 is a rounded value like any
    // other.
    bool defined = b.lo == 0 || a.lo == 1 || a.lo == 0 || std::isinf(a.lo) || std::isinf(b.lo);
    if (defined || std::isinf(v)) return Bounded::exact(v);
    return approximate(v, v, false, ulps("pow"), a.lo > 0 ? 0 : -INFINITY);
  }
  // pow(1, NaN) and pow(NaN, 0) are 1: a NaN operand does not decide.
  if (a.may_nan || b.may_nan || !(a.lo > 0) || has_inf(a) || has_inf(b)) return Bounded::all();
  const double c[4] = {std::pow(a.lo, b.lo), std::pow(a.lo, b.hi), std::pow(a.hi, b.lo),
                       std::pow(a.hi, b.hi)};
  double lo = 0;
  double hi = 0;
  hull4(c, 0, &lo, &hi);
  if (a.lo < 1 && a.hi > 1) {  // the exponent's sign changes the direction: 1 lies between
    lo = std::min(lo, 1.0);
    hi = std::max(hi, 1.0);
  }
  return approximate(lo, hi, false, ulps("pow"), 0);
}
Dual pow(Dual a, Dual b) {
  const double v = std::pow(a.v, b.v);
  const double by_base = a.d == 0 || b.v == 0 ? 0 : b.v * std::pow(a.v, b.v - 1) * a.d;
  const double by_exponent = b.d == 0 || (a.v == 0 && b.v >= 0) ? 0 : v * std::log(a.v) * b.d;
  return Dual::of(v, by_base + by_exponent);
}

Bounded atan2(Bounded y, Bounded x) {
  if (y.must_nan || x.must_nan) return nan_only();
  bool nan = nan_in(y, x);
  bool points = y.lo == y.hi && x.lo == x.hi && y.zero_sign_known && x.zero_sign_known;
  bool clear = x.lo > 0 || y.lo > 0 || y.hi < 0;
  if (!points && !clear) return approximate(-M_PI, M_PI, nan, ulps("atan2"));
  const double c[4] = {std::atan2(y.lo, x.lo), std::atan2(y.lo, x.hi), std::atan2(y.hi, x.lo),
                       std::atan2(y.hi, x.hi)};
  double lo = 0;
  double hi = 0;
  hull4(c, 0, &lo, &hi);
  return approximate(lo, hi, nan, ulps("atan2"));
}
Dual atan2(Dual a, Dual b) {
  const double square = a.v * a.v + b.v * b.v;
  return Dual::of(std::atan2(a.v, b.v), (a.d * b.v - a.v * b.d) / square);
}

Bounded fmod(Bounded a, Bounded b) {
  if (a.must_nan || b.must_nan) return nan_only();
  if (a.is_exact() && b.is_exact()) {
    double v = std::fmod(a.lo, b.lo);
    if (std::isnan(v)) return nan_only();
    Bounded r = Bounded::exact(v);
    r.zero_sign_known = a.zero_sign_known;
    return with_half_steps(r);
  }
  double most = std::min(std::max(std::fabs(b.lo), std::fabs(b.hi)),
                         std::max(std::fabs(a.lo), std::fabs(a.hi)));
  Bounded r = Bounded::range(a.lo < 0 ? -most : 0, a.hi > 0 ? most : 0,
                             nan_in(a, b) || contains_zero(b) || has_inf(a));
  r.zero_sign_known = false;
  return r;
}
Dual fmod(Dual a, Dual b) {
  return Dual::of(std::fmod(a.v, b.v), a.d - std::trunc(a.v / b.v) * b.d);
}

}  // namespace fusillade
