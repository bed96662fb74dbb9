// Forms that functions take on Bounded: what is monotone, periodic, a step or a hull of corners.
// For those that define functions (functions.cpp); operands and results as in bounded.h.
#pragma once

#include <algorithm>
#include <cmath>

#include "engine/scalar/bounded.h"

namespace fusillade::bounds {

Bounded nan_only();
bool contains_zero(const Bounded& b);
bool has_inf(const Bounded& b);
bool nan_in(const Bounded& a, const Bounded& b);
// One ulp of the compute type at x.
double ulp_of(double x);
// How far `function` may be from the true value, in ulps: ours, or more where it is allowed.
double ulps(const char* function);
// A correctly rounded result between lo and hi; the sign of a zero that is a point is kept.
Bounded rounded_bounds(double lo, double hi, bool may_nan, bool sign_known = true);
// [lo, hi] widened by `ulps` and clipped to what the function can return.
Bounded approximate(double lo, double hi, bool may_nan, double ulps, double least = -INFINITY,
                    double most = INFINITY);
// A step's result, rounded to 16 bits or not.
Bounded with_half_steps(Bounded b);
// Does [lo, hi] hold phase + n * period for some n (with slack for the division)?
bool crosses(double lo, double hi, double phase, double period);
// f swings between -1 and 1, which it reaches at top + 2 pi n.
Bounded periodic(const char* name, const Bounded& a, double (*f)(double), double top);
// Hull of four candidate results; a NaN candidate (0 * inf, inf / inf) counts as `nan_as`.
void hull4(const double (&c)[4], double nan_as, double* lo, double* hi);

template <class F>
Bounded increasing(const char* name, const Bounded& a, F f, double least = -INFINITY,
                   double most = INFINITY) {
  if (a.must_nan) return a;
  return approximate(f(a.lo), f(a.hi), a.may_nan, ulps(name), least, most);
}

// f is defined and increasing on [from, to]; outside it gives NaN.
template <class F>
Bounded increasing_on(const char* name, const Bounded& a, double from, double to, F f) {
  if (a.must_nan || a.hi < from || a.lo > to) return nan_only();
  Bounded in = a;
  in.may_nan = a.may_nan || a.lo < from || a.hi > to;
  in.lo = std::max(a.lo, from);
  in.hi = std::min(a.hi, to);
  return increasing(name, in, f);
}

// f is a step function, computed exactly.
template <class F>
Bounded step_function(const Bounded& a, F f) {
  if (a.must_nan) return a;
  Bounded b = a;
  b.lo = f(a.lo);
  b.hi = f(a.hi);
  b.zero_sign_known = a.zero_sign_known && b.lo == b.hi && a.lo == a.hi;
  return with_half_steps(b);
}

}  // namespace fusillade::bounds
