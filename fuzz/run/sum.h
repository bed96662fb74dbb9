// A sum whose terms are met one by one, bounded for every order of its additions.
//
// A sum of n terms in any order, with or without fused multiply-adds, is off by at most (n - 1) u
// times the sum of magnitudes to first order (Higham, "Accuracy and Stability of Numerical
// Algorithms", 2002, eq. 4.4). Sums are taken in long double. Where some order could overflow or
// meet inf - inf, every value is legal.
#pragma once

#include <algorithm>
#include <cmath>

#include "fuzz/run/cell.h"

namespace fusillade::fuzz {
namespace sums {

using Wide = long double;

// How many roundings of relative error `unit` come to, to every order (Higham, lemma 3.1); no
// number where they leave nothing.
inline Wide gamma(Wide roundings, double unit) {
  Wide nu = roundings * unit;
  return nu < 0.5L ? nu / (1 - nu) : INFINITY;
}

inline Bounded nan_only() {
  Bounded b;
  b.must_nan = b.may_nan = true;
  return b;
}

// The order of evaluation decides the sign of a zero.
inline Bounded any_zero(Bounded b) {
  if (b.lo <= 0 && b.hi >= 0) b.zero_sign_known = false;
  return b;
}

inline double down(Wide x) { return std::nextafter(static_cast<double>(x), -INFINITY); }
inline double up(Wide x) { return std::nextafter(static_cast<double>(x), INFINITY); }

}  // namespace sums

// Terms of a sum, met one by one.
class Sum {
  using Wide = sums::Wide;

 public:
  explicit Sum(const Steps& steps) : steps_(steps) {}

  // A term.
  void add(const Bounded& b) {
    ++count_;
    if (b.must_nan) must_nan_ = true;
    if (b.may_nan) may_nan_ = true;
    if (b.must_nan) return;
    if (std::isinf(b.lo) || std::isinf(b.hi)) {
      if (b.lo == b.hi) (b.lo > 0 ? plus_ : minus_) = true;
      else unsure_ = true;
      return;
    }
    lo_ += b.lo;
    hi_ += b.hi;
    magnitude_ += std::max(std::fabs(b.lo), std::fabs(b.hi));
  }

  // A rounded or contracted product is a term.
  void add_product(const Bounded& a, const Bounded& b) {
    bool finite = !a.may_nan && !b.may_nan && std::isfinite(a.lo) && std::isfinite(a.hi) &&
                  std::isfinite(b.lo) && std::isfinite(b.hi);
    if (!finite) {
      if (a.must_nan || b.must_nan) must_nan_ = true;
      else unsure_ = true;
      ++count_;
      return;
    }
    Wide p[4] = {Wide(a.lo) * b.lo, Wide(a.lo) * b.hi, Wide(a.hi) * b.lo, Wide(a.hi) * b.hi};
    Wide lo = *std::min_element(p, p + 4);
    Wide hi = *std::max_element(p, p + 4);
    lo_ += lo;
    hi_ += hi;
    magnitude_ += std::max(std::fabs(lo), std::fabs(hi));
    Wide factor = std::max({std::fabs(a.lo), std::fabs(a.hi), std::fabs(b.lo), std::fabs(b.hi)});
    factors_ += factor;
    largest_factor_ = std::max(largest_factor_, factor);
    ++count_;
    ++products_;
  }

  // All terms of another sum.
  void add(const Sum& other) {
    count_ += other.count_, products_ += other.products_;
    lo_ += other.lo_, hi_ += other.hi_, magnitude_ += other.magnitude_;
    factors_ += other.factors_, largest_factor_ = std::max(largest_factor_, other.largest_factor_);
    must_nan_ |= other.must_nan_, may_nan_ |= other.may_nan_;
    plus_ |= other.plus_, minus_ |= other.minus_, unsure_ |= other.unsure_;
  }

  // `extra`: magnitude that may take part in every partial sum (a bias). The sum may be multiplied
  // by `alpha` at its end, or each product, or a factor of each.
  Bounded result(Wide extra = 0, Wide alpha = 1) const {
    if (must_nan_) return sums::nan_only();
    if (unsure_) return Bounded::all();
    if (plus_ && minus_) return sums::nan_only();
    Wide magnitude = magnitude_ + extra;
    Wide roundings = static_cast<Wide>(count_ - 1 + (products_ ? 3 : 0) + (extra > 0 ? 2 : 0));
    Wide flushed_below = Allowing::flushes() ? steps_.smallest : 0;
    Wide error = sums::gamma(roundings, steps_.unit) * magnitude * 1.02L +
                 static_cast<Wide>(products_) * steps_.tiniest +
                 static_cast<Wide>(count_ + products_) * flushed_below +
                 static_cast<Wide>(count_) * 0x1p-63L * magnitude;
    if (count_ <= 1 && !products_ && extra == 0) error = 0;
    if (alpha != 1) error += factors_ * (steps_.tiniest + flushed_below) / alpha;
    Wide most = std::max<Wide>(alpha, 1);
    if (!(most * (magnitude + error) < steps_.largest)) return Bounded::all();
    if (alpha > 1 && alpha * largest_factor_ >= steps_.largest) return Bounded::all();
    if (plus_ || minus_) return with_nan(Bounded::exact(plus_ ? INFINITY : -INFINITY));
    if (error == 0)
      return with_nan(Bounded::range(static_cast<double>(lo_), static_cast<double>(hi_)));
    return with_nan(Bounded::range(sums::down(lo_ - error), sums::up(hi_ + error)));
  }

 private:
  Bounded with_nan(Bounded b) const {
    b.may_nan = b.may_nan || may_nan_;
    return sums::any_zero(b);
  }

  Steps steps_;
  int64_t count_ = 0;
  int64_t products_ = 0;
  Wide lo_ = 0, hi_ = 0, magnitude_ = 0, factors_ = 0, largest_factor_ = 0;
  bool must_nan_ = false, may_nan_ = false, plus_ = false, minus_ = false, unsure_ = false;
};

}  // namespace fusillade::fuzz
