// Interval arithmetic with NaN flags. Ends are doubles.
//
// Rounding to the compute type is monotone, so the rounded result of an operation lies between the
// rounded ends: point operands give a point. Products keep both the exact and the rounded value,
// because a later sum may use either (contraction). Ends of F32 operations are computed in double
// and moved outward by one double ulp before rounding to float, which covers the double's own
// rounding.
#include "engine/scalar/bounded.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <utility>

#include "engine/scalar/accuracy.h"
#include "engine/scalar/bounded_forms.h"
#include "engine/scalar/half_steps.h"
#include "engine/tensor/half.h"

namespace fusillade {

using namespace bounds;

namespace {

thread_local Model t_precision = Model::F32;
thread_local const AllowedDeviation* t_allowed = nullptr;
thread_local std::optional<DType> t_half_steps;
constexpr double kInf = INFINITY;

double down(double x) { return std::nextafter(x, -kInf); }
double up(double x) { return std::nextafter(x, kInf); }

double round_low(double x) {
  if (t_precision == Model::F32) return static_cast<float>(down(x));
  if (t_precision == Model::I64 && std::fabs(x) >= 0x1p53) return down(x);
  return x;
}
double round_high(double x) {
  if (t_precision == Model::F32) return static_cast<float>(up(x));
  if (t_precision == Model::I64 && std::fabs(x) >= 0x1p53) return up(x);
  return x;
}

// With zero in it where a number below `normal` may be flushed.
Bounded with_flush(Bounded b, double normal) {
  if (!Allowing::flushes() || b.must_nan) return b;
  bool some = b.lo < normal && b.hi > -normal && (b.lo != 0 || b.hi != 0);
  if (!some) return b;
  b.lo = std::min(b.lo, 0.0);
  b.hi = std::max(b.hi, 0.0);
  b.zero_sign_known = false;
  return b;
}
Bounded with_flush(const Bounded& b) {
  return t_precision == Model::I64 ? b
                                   : with_flush(b, t_precision == Model::F32 ? FLT_MIN : DBL_MIN);
}

// A quotient may be a product with a reciprocal where the allowed deviation has an entry for `div`.
Bounded loosened_quotient(Bounded b) {
  if (!t_allowed || b.must_nan) return b;
  auto it = t_allowed->ulp.find("div");
  if (it == t_allowed->ulp.end() || t_precision == Model::I64) return b;
  if (std::isfinite(b.lo)) b.lo -= it->second * ulp_of(b.lo);
  if (std::isfinite(b.hi)) b.hi += it->second * ulp_of(b.hi);
  return b;
}

double to_float_dtype(double x, DType dtype) {
  float f = static_cast<float>(x);
  if (dtype == DType::F16) return to_float(to_half(f));
  if (dtype == DType::BF16) return to_float(to_bfloat16(f));
  return dtype == DType::F32 ? f : x;
}

Bounded divide_by_zero(const Bounded& a, const Bounded& b) {
  bool nan = nan_in(a, b) || contains_zero(a);
  bool point =
      b.lo == 0 && b.hi == 0 && b.zero_sign_known && std::signbit(b.lo) == std::signbit(b.hi);
  if (a.lo == 0 && a.hi == 0 && b.lo == 0 && b.hi == 0) return nan_only();
  if (point && (a.lo > 0 || a.hi < 0)) {
    double inf = (a.lo > 0) == !std::signbit(b.lo) ? kInf : -kInf;
    return Bounded::range(inf, inf, nan);
  }
  return Bounded::range(-kInf, kInf, nan || (has_inf(a) && has_inf(b)));
}

Tri decide(bool yes, bool no, bool may_nan, Tri on_nan) {
  if (may_nan) {
    if (yes && on_nan == Tri::Yes) return Tri::Yes;
    if (no && on_nan == Tri::No) return Tri::No;
    return Tri::Unsure;
  }
  return yes ? Tri::Yes : no ? Tri::No : Tri::Unsure;
}

}  // namespace

namespace bounds {

Bounded nan_only() {
  Bounded b;
  b.must_nan = b.may_nan = true;
  return b;
}

double ulp_of(double x) {
  double a = std::fabs(x);
  if (t_precision == Model::F32) return std::max(a * 0x1p-23, 0x1p-149);
  return std::max(a * 0x1p-52, 0x1p-1074);
}

double ulps(const char* function) {
  if (!t_allowed) return accuracy::kTranscendental;
  auto it = t_allowed->ulp.find(function);
  return it == t_allowed->ulp.end() ? accuracy::kTranscendental
                                    : std::max(it->second, accuracy::kTranscendental);
}

Bounded with_half_steps(Bounded b) {
  if (!t_half_steps || b.must_nan) return b;
  double lo = std::min(b.lo, to_float_dtype(b.lo, *t_half_steps));
  double hi = std::max(b.hi, to_float_dtype(b.hi, *t_half_steps));
  b.zero_sign_known = b.zero_sign_known && lo == b.lo && hi == b.hi;
  b.lo = lo;
  b.hi = hi;
  return b;
}

Bounded rounded_bounds(double lo, double hi, bool may_nan, bool sign_known) {
  Bounded b;
  if (lo == 0 && hi == 0) {
    b.lo = lo;
    b.hi = hi;
  } else {
    b.lo = round_low(lo);
    b.hi = round_high(hi);
  }
  b.may_nan = may_nan;
  b.zero_sign_known = sign_known && lo == hi;
  return with_half_steps(with_flush(b));
}

bool contains_zero(const Bounded& b) { return b.lo <= 0 && b.hi >= 0; }
bool has_inf(const Bounded& b) { return std::isinf(b.lo) || std::isinf(b.hi); }
bool nan_in(const Bounded& a, const Bounded& b) { return a.may_nan || b.may_nan; }

Bounded approximate(double lo, double hi, bool may_nan, double ulps, double least, double most) {
  double low = std::isinf(lo) ? lo : lo - (ulps + 1) * ulp_of(lo);
  double high = std::isinf(hi) ? hi : hi + (ulps + 1) * ulp_of(hi);
  if (t_precision == Model::F32) {
    low = static_cast<float>(low);
    high = static_cast<float>(high);
  }
  Bounded b = Bounded::range(std::max(low, least), std::min(high, most), may_nan);
  if (lo == hi && lo == 0) b = Bounded::range(lo, hi, may_nan);  // zeros are exact
  b.zero_sign_known = false;
  return with_half_steps(with_flush(b));
}

bool crosses(double lo, double hi, double phase, double period) {
  double slack = 1e-9 * (1 + std::max(std::fabs(lo), std::fabs(hi)) / period);
  return std::floor((hi - phase) / period + slack) >= std::ceil((lo - phase) / period - slack);
}

Bounded periodic(const char* name, const Bounded& a, double (*f)(double), double top) {
  if (a.must_nan || (std::isinf(a.lo) && a.lo == a.hi)) return nan_only();
  bool nan = a.may_nan || has_inf(a);
  if (has_inf(a) || a.hi - a.lo >= 2 * M_PI) return Bounded::range(-1, 1, nan);
  double lo = std::min(f(a.lo), f(a.hi));
  double hi = std::max(f(a.lo), f(a.hi));
  if (a.lo != a.hi) {
    if (crosses(a.lo, a.hi, top, 2 * M_PI)) hi = 1;
    if (crosses(a.lo, a.hi, top + M_PI, 2 * M_PI)) lo = -1;
  }
  return approximate(lo, hi, nan, ulps(name), -1, 1);
}

void hull4(const double (&c)[4], double nan_as, double* lo, double* hi) {
  *lo = kInf;
  *hi = -kInf;
  for (double x : c) {
    if (std::isnan(x)) x = nan_as;
    // -0 is below +0, so that the sign of a point zero survives.
    if (x < *lo || (x == 0 && *lo == 0 && std::signbit(x))) *lo = x;
    if (x > *hi || (x == 0 && *hi == 0 && !std::signbit(x))) *hi = x;
  }
}

}  // namespace bounds

Precision::Precision(Model model) : saved_(t_precision) { t_precision = model; }
Precision::~Precision() { t_precision = saved_; }
Model Precision::current() { return t_precision; }

Allowing::Allowing(const AllowedDeviation* allowed) : saved_(t_allowed) { t_allowed = allowed; }
Allowing::~Allowing() { t_allowed = saved_; }
bool Allowing::flushes() { return t_allowed && t_allowed->flushes_subnormals; }

HalfSteps::HalfSteps(std::optional<DType> dtype) : saved_(std::exchange(t_half_steps, dtype)) {}
HalfSteps::~HalfSteps() { t_half_steps = saved_; }
std::optional<DType> HalfSteps::current() { return t_half_steps; }

Bounded::Bounded(double literal) {
  if (std::isnan(literal)) {
    *this = nan_only();
    return;
  }
  lo = hi = t_precision == Model::F32 ? static_cast<double>(static_cast<float>(literal)) : literal;
  *this = with_half_steps(*this);
}

Bounded Bounded::exact(double value) {
  Bounded b;
  if (std::isnan(value)) return nan_only();
  b.lo = b.hi = value;
  return b;
}

Bounded Bounded::range(double lo, double hi, bool may_nan) {
  Bounded b;
  b.lo = lo;
  b.hi = hi;
  b.may_nan = may_nan;
  b.zero_sign_known = lo == hi && std::signbit(lo) == std::signbit(hi);
  return b;
}

Bounded Bounded::all() { return range(-kInf, kInf, true); }

Bounded operator-(Bounded a) {
  if (a.must_nan) return a;
  Bounded b = a;
  b.lo = -a.hi;
  b.hi = -a.lo;
  return b;
}

Bounded operator+(Bounded a, Bounded b) {
  if (a.must_nan || b.must_nan) return nan_only();
  bool nan = nan_in(a, b) || (a.hi == kInf && b.lo == -kInf) || (a.lo == -kInf && b.hi == kInf);
  double lo = a.lo + b.lo;
  double hi = a.hi + b.hi;
  if (std::isnan(lo) && std::isnan(hi)) return nan_only();
  if (std::isnan(lo)) lo = kInf;
  if (std::isnan(hi)) hi = -kInf;
  if (lo > hi) std::swap(lo, hi);
  return rounded_bounds(lo, hi, nan, a.zero_sign_known && b.zero_sign_known);
}

Bounded operator-(Bounded a, Bounded b) { return a + -b; }

namespace {

// The unrounded product is legal too, as an operand of a contracted sum: it lies within one step of
// the rounded one, is finite where that overflowed, and is not seen in a residue that underflows.
void widen_to_unrounded(const Bounded& a, const Bounded& b, double lo, double hi, Bounded* r) {
  if (t_precision == Model::F32) {
    r->lo = std::min(r->lo, lo);
    r->hi = std::max(r->hi, hi);
    return;
  }
  if (t_precision != Model::F64 || (a.lo == 0 && a.hi == 0) || (b.lo == 0 && b.hi == 0)) return;
  bool points = a.lo == a.hi && b.lo == b.hi;
  if (points && std::isfinite(lo) && std::fabs(lo) >= 0x1p-960) {
    double residue = std::fma(a.lo, b.lo, -lo);
    if (residue < 0) r->lo = down(lo);
    if (residue > 0) r->hi = up(hi);
    return;
  }
  bool infinite = (points && std::isinf(a.lo)) || (points && std::isinf(b.lo));
  if (infinite) return;
  r->lo = down(lo);
  r->hi = up(hi);
}

}  // namespace

Bounded operator*(Bounded a, Bounded b) {
  if (a.must_nan || b.must_nan) return nan_only();
  bool nan = nan_in(a, b) || (contains_zero(a) && has_inf(b)) || (contains_zero(b) && has_inf(a));
  const double c[4] = {a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi};
  if (a.lo == a.hi && b.lo == b.hi && std::isnan(c[0])) return nan_only();
  double lo = 0;
  double hi = 0;
  hull4(c, 0, &lo, &hi);
  Bounded r = rounded_bounds(lo, hi, nan, a.zero_sign_known && b.zero_sign_known);
  widen_to_unrounded(a, b, lo, hi, &r);
  return r;
}

Bounded operator/(Bounded a, Bounded b) {
  if (a.must_nan || b.must_nan) return nan_only();
  if (contains_zero(b)) return divide_by_zero(a, b);
  bool nan = nan_in(a, b) || (has_inf(a) && has_inf(b));
  const double c[4] = {a.lo / b.lo, a.lo / b.hi, a.hi / b.lo, a.hi / b.hi};
  if (a.lo == a.hi && b.lo == b.hi && std::isnan(c[0])) return nan_only();
  double lo = 0;
  double hi = 0;
  hull4(c, 0, &lo, &hi);
  return loosened_quotient(rounded_bounds(lo, hi, nan, a.zero_sign_known && b.zero_sign_known));
}

Tri operator<(Bounded a, Bounded b) {
  if (a.must_nan || b.must_nan) return Tri::No;
  return decide(a.hi < b.lo, a.lo >= b.hi, nan_in(a, b), Tri::No);
}
Tri operator<=(Bounded a, Bounded b) {
  if (a.must_nan || b.must_nan) return Tri::No;
  return decide(a.hi <= b.lo, a.lo > b.hi, nan_in(a, b), Tri::No);
}
Tri operator>(Bounded a, Bounded b) { return b < a; }
Tri operator>=(Bounded a, Bounded b) { return b <= a; }
Tri operator==(const Bounded& a, const Bounded& b) {
  if (a.must_nan || b.must_nan) return Tri::No;
  bool same = &a == &b || (a.lo == a.hi && b.lo == b.hi && a.lo == b.lo);
  return decide(same, a.hi < b.lo || b.hi < a.lo, nan_in(a, b), Tri::No);
}
Tri operator!=(const Bounded& a, const Bounded& b) { return !(a == b); }
Tri operator!(Tri a) { return a == Tri::Unsure ? a : a == Tri::Yes ? Tri::No : Tri::Yes; }
Tri operator&(Tri a, Tri b) {
  if (a == Tri::No || b == Tri::No) return Tri::No;
  return a == Tri::Yes && b == Tri::Yes ? Tri::Yes : Tri::Unsure;
}
Tri operator|(Tri a, Tri b) { return !(!a & !b); }

Bounded select(Tri condition, Bounded a, Bounded b) {
  if (condition == Tri::Yes) return a;
  if (condition == Tri::No) return b;
  if (a.must_nan && b.must_nan) return a;
  if (a.must_nan || b.must_nan) {
    Bounded r = a.must_nan ? b : a;
    r.may_nan = true;
    return r;
  }
  Bounded r = Bounded::range(std::min(a.lo, b.lo), std::max(a.hi, b.hi), nan_in(a, b));
  r.zero_sign_known = false;
  return r;
}

namespace {

Bounded to_integer(const Bounded& a, DType dtype) {
  int bits = row_of(dtype).significand;
  double top = std::ldexp(1.0, bits);
  double least = dtype == DType::U8 ? 0 : -top;
  Bounded any = Bounded::range(least, top - 1);
  if (a.must_nan || a.may_nan) return any;
  double lo = std::trunc(a.lo);
  double hi = std::trunc(a.hi);
  if (lo < least || hi > top - 1) return any;
  Bounded r = Bounded::range(lo + 0.0, hi + 0.0);
  r.zero_sign_known = true;
  return r;
}

}  // namespace

Bounded round_to(Bounded a, DType dtype) {
  if (dtype == DType::Bool) {
    if (a.must_nan) return Bounded::exact(1);
    if (!contains_zero(a)) return Bounded::exact(1);
    if (a.lo == 0 && a.hi == 0 && !a.may_nan) return Bounded::exact(0);
    return Bounded::range(0, 1);
  }
  if (is_int(dtype)) return to_integer(a, dtype);
  if (a.must_nan || dtype == DType::F64) return a;
  if (dtype == DType::F32 && t_precision == Model::F32) return a;
  Bounded r = a;
  r.lo = to_float_dtype(a.lo, dtype);
  r.hi = to_float_dtype(a.hi, dtype);
  return read_from(r, dtype);
}

Bounded read_from(Bounded a, DType dtype) {
  if (dtype == DType::F16) return a;  // its subnormals are normal numbers where they are computed
  return with_flush(a, dtype == DType::F64 ? DBL_MIN : FLT_MIN);
}

bool admits(const Bounded& set, double value) {
  if (std::isnan(value)) return set.may_nan || set.must_nan;
  return !set.must_nan && set.lo <= value && value <= set.hi;
}

bool is_tight(const Bounded& set) {
  if (set.must_nan) return true;
  if (set.may_nan) return false;
  if (set.lo == set.hi) return true;
  return set.hi - set.lo <= 1e-3 * std::max(std::fabs(set.lo), std::fabs(set.hi));
}

}  // namespace fusillade
