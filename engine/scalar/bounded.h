// Bounded: the set of values a legal implementation may produce for one element, as an interval of
// doubles with flags. The shadow runs programs in it; the oracle asks whether an observed value
// lies inside.
//
// Invariants: when `valid()` holds, every legal result is in [lo, hi], or is NaN and may_nan is
// set. Infinities are ordinary ends (hi = +inf means "could be +inf"). Every operation rounds
// outward and widens by the error of the compute type (Precision) that a real implementation
// commits: half an ulp for + - * / sqrt, k ulp for the transcendental functions, and covers both
// sides when a comparison cannot be decided. Contraction (FMA) and any association of a reduction
// stay inside the bound. `all()` is "unknown": every value.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "engine/scalar/number.h"

namespace fusillade {

struct Bounded {
  double lo = 0;
  double hi = 0;
  bool may_nan = false;
  bool must_nan = false;        // NaN is the only legal value; lo and hi mean nothing
  bool zero_sign_known = true;  // false when -0 and +0 are both legal where the interval holds 0

  Bounded() = default;
  explicit Bounded(double literal);  // rounded to the current precision's compute type
  static Bounded exact(double value);
  static Bounded range(double lo, double hi, bool may_nan = false);
  static Bounded all();
  bool is_exact() const { return lo == hi && !may_nan && !must_nan; }
};

// A comparison of Bounded: definitely, definitely not, or unsure.
enum class Tri : uint8_t { No, Yes, Unsure };

// The compute type whose roundings the current thread's Bounded operations include.
class Precision {
 public:
  explicit Precision(Model model);  // F32, F64, or I64 (exact integers)
  ~Precision();
  static Model current();

 private:
  Model saved_;
};

// What implementations elsewhere may do beyond ours.
struct AllowedDeviation {
  bool flushes_subnormals = false;  // subnormal operands and results of F32 and F64 may be zero
  std::map<std::string, double>
      ulp;  // function of number.h -> how far, where that is more than ours
};

// While one lives, this thread's Bounded operations include what `allowed deviation` allows (null:
// nothing).
class Allowing {
 public:
  explicit Allowing(const AllowedDeviation* allowed);
  ~Allowing();
  static bool flushes();

 private:
  const AllowedDeviation* saved_;
};

Bounded operator-(Bounded a);
Bounded operator+(Bounded a, Bounded b);
Bounded operator-(Bounded a, Bounded b);
Bounded operator*(Bounded a, Bounded b);
Bounded operator/(Bounded a, Bounded b);
Tri operator<(Bounded a, Bounded b);
Tri operator<=(Bounded a, Bounded b);
Tri operator>(Bounded a, Bounded b);
Tri operator>=(Bounded a, Bounded b);
// Of one object with itself: whether it is a number, which is how formulas ask (number.h).
Tri operator==(const Bounded& a, const Bounded& b);
Tri operator!=(const Bounded& a, const Bounded& b);
Tri operator!(Tri a);
Tri operator&(Tri a, Tri b);
Tri operator|(Tri a, Tri b);
Bounded select(Tri condition, Bounded a, Bounded b);
#define FUS_DECLARE(f, op) Bounded f(Bounded a);
FUS_SCALAR_UNARY(FUS_DECLARE)
#undef FUS_DECLARE
#define FUS_DECLARE(f, op) Bounded f(Bounded a, Bounded b);
FUS_SCALAR_BINARY(FUS_DECLARE)
#undef FUS_DECLARE

// The value after storing to `dtype` (rounding, overflow to inf; f32 <- F32 is the identity).
Bounded round_to(Bounded a, DType dtype);
// An element of a tensor of `dtype`, as operations may take it.
Bounded read_from(Bounded a, DType dtype);
// Is `value`, read from a tensor of `dtype`, legal?
bool admits(const Bounded& set, double value);
// Is the set narrow enough to find errors: width <= 1e-3 * |value| or the finite set of a bool/int?
bool is_tight(const Bounded& set);

}  // namespace fusillade
