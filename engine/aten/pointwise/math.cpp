// Element-wise functions of one operand, tests, powers and blends.
//
// Integers become f32 except where rounding or sign keeps them integers (abs, neg, floor,
// ceil, ...).
#include <cfloat>
#include <cmath>

#include "engine/ops/pointwise.h"

namespace fusillade {
namespace {

constexpr const char* kFamily = "pointwise";

template <class F>
void unary(const char* name, F f, bool in_place = true) {
  PointwiseDef def;
  def.promotion = Promotion::Float;
  def.real = &real_formula<1>(f);
  add_pointwise(fmt::format("aten::{}(Tensor self) -> Tensor", name).c_str(), def, kFamily,
                in_place);
}

// Floats by `f`; integers by `g` (or unchanged), in their own dtype.
template <class F, class G>
void keeping(const char* name, F f, G g, bool bools = false) {
  PointwiseDef def;
  def.real = &real_formula<1>(f);
  def.integer = &int_formula<1>(g);
  def.bool_illegal = !bools;
  add_pointwise(fmt::format("aten::{}(Tensor self) -> Tensor", name).c_str(), def, kFamily);
}

auto identity = [](auto x) { return x; };
#define FUS_UNARY(f) unary(#f, [](auto x) { return f(x); });
void transcendental() {
  FUS_UNARY(sqrt)
  FUS_UNARY(exp)
  FUS_UNARY(exp2)
  FUS_UNARY(expm1)
  FUS_UNARY(log)
  FUS_UNARY(log1p)
  FUS_UNARY(log2)
  FUS_UNARY(log10)
  FUS_UNARY(sin)
  FUS_UNARY(cos)
  FUS_UNARY(tan)
  FUS_UNARY(asin)
  FUS_UNARY(acos)
  FUS_UNARY(atan)
  FUS_UNARY(sinh)
  FUS_UNARY(cosh)
  FUS_UNARY(tanh)
  FUS_UNARY(asinh)
  FUS_UNARY(erf)
  FUS_UNARY(erfc)
  FUS_UNARY(lgamma)
  unary("special_erfcx", [](auto x) { return erfcx(x); }, false);
  unary("rsqrt", [](auto x) {
    using N = decltype(x);
    return N(1.0) / sqrt(x);
  });
  unary("reciprocal", [](auto x) {
    using N = decltype(x);
    return N(1.0) / x;
  });
  unary("sigmoid", [](auto x) {
    using N = decltype(x);
    return N(1.0) / (N(1.0) + exp(-x));
  });
}

void rounding() {
  keeping("abs", [](auto x) { return abs(x); }, [](auto x) { return abs(x); });
  keeping("neg", [](auto x) { return -x; }, [](auto x) { return -x; });
  keeping("floor", [](auto x) { return floor(x); }, identity);
  keeping("ceil", [](auto x) { return ceil(x); }, identity);
  keeping("trunc", [](auto x) { return trunc(x); }, identity);
  keeping("round", [](auto x) { return rint(x); }, identity);
  PointwiseDef square;
  square.bool_as_int = true;
  square.real = square.integer = &any_formula<1>([](auto x) { return x * x; });
  add_pointwise("aten::square(Tensor self) -> Tensor", square, kFamily);
  auto sign = [](auto x) {
    using N = decltype(x);
    return select(x > N(0.0), N(1.0), select(x < N(0.0), N(-1.0), N(0.0)));  // 0 for NaN and -0
  };
  keeping("sign", sign, sign, true);
  keeping("sgn", sign, sign, true);
  PointwiseDef frac;
  frac.real = &real_formula<1>([](auto x) { return x - trunc(x); });
  add_pointwise("aten::frac(Tensor self) -> Tensor", frac, kFamily);
}

void tests() {
  auto add = [](const char* name, const Formula& real, const Formula& integer) {
    PointwiseDef def;
    def.promotion = Promotion::Predicate;
    def.real = &real;
    def.integer = &integer;
    add_pointwise(fmt::format("aten::{}(Tensor self) -> Tensor", name).c_str(), def, kFamily,
                  false);
  };
  const Formula& never = int_formula<1>([](auto x) { return x != x; });
  add("isnan", real_formula<1>([](auto x) { return x != x; }), never);
  add("isinf", real_formula<1>([](auto x) {
        using N = decltype(x);
        return abs(x) == N(INFINITY);
      }),
      never);
  add("isfinite", real_formula<1>([](auto x) {
        using N = decltype(x);
        return abs(x) < N(INFINITY);
      }),
      int_formula<1>([](auto x) { return x == x; }));
  add("isposinf", real_formula<1>([](auto x) {
        using N = decltype(x);
        return x == N(INFINITY);
      }),
      never);
  add("isneginf", real_formula<1>([](auto x) {
        using N = decltype(x);
        return x == N(-INFINITY);
      }),
      never);
}

void check_exponent(const Operator& op, std::span<const ArgInfo> args, const PointwisePlan& plan) {
  if (is_float(plan.compute)) return;
  if (!args[1].known) decline("{}: the exponent is not constant", op.name);
  if (args[1].value.as_double() >= 0) return;
  fail("{}: integers to the negative power {} are not allowed", op.schema.name,
       describe(args[1].value));
}

// ATen's cases of a number as exponent: pow(-inf, 0.5) is sqrt's NaN, and not C's +inf.
PointwiseDef pow_number(const PointwiseDef& general) {
  PointwiseDef def = general;
  def.check = &check_exponent;
  def.checked = {1};
  def.half = general.real;
  auto root = [](auto x) { return sqrt(x); };
  auto inverse_root = [](auto x) {
    using N = decltype(x);
    return N(1.0) / sqrt(x);
  };
  auto square = [](auto x) { return x * x; };
  auto cube = [](auto x) { return x * x * x; };
  auto inverse = [](auto x) {
    using N = decltype(x);
    return N(1.0) / x;
  };
  auto inverse_square = [](auto x) {
    using N = decltype(x);
    return N(1.0) / (x * x);
  };
  def.specials = {{1, 0.5, &real_formula<1>(root), nullptr},
                  {1, -0.5, &real_formula<1>(inverse_root), nullptr},
                  {1, 2, &real_formula<1>(square), nullptr},
                  {1, 3, &real_formula<1>(cube), nullptr},
                  {1, -1, &real_formula<1>(inverse), nullptr},
                  {1, -2, &real_formula<1>(inverse_square), nullptr}};
  // An exponent that is known only at run time has the same cases.
  def.real = &real_formula<2>([](auto a, auto b) {
    using N = decltype(a);
    auto half = select(b == N(0.5), sqrt(a), select(b == N(-0.5), N(1.0) / sqrt(a), pow(a, b)));
    auto up = select(b == N(2.0), a * a, select(b == N(3.0), a * a * a, half));
    return select(b == N(-1.0), N(1.0) / a, select(b == N(-2.0), N(1.0) / (a * a), up));
  });
  return def;
}

void powers() {
  PointwiseDef power;
  power.bool_illegal = true;
  power.real = &real_formula<2>([](auto a, auto b) { return pow(a, b); });
  power.integer = &int_formula<2>([](auto a, auto b) { return pow(a, b); });
  add_pointwise("aten::pow.Scalar(Scalar self, Tensor exponent) -> Tensor", power, kFamily, false);
  PointwiseDef number = pow_number(power);
  number.in_place_name = "aten::pow_.Scalar";
  add_pointwise("aten::pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor", number, kFamily);
  power.in_place_name = "aten::pow_.Tensor";
  add_pointwise("aten::pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor", power, kFamily);
}

template <class T>
void copy_signs(const void* const* in, void* out, int64_t n) {
  const auto* a = static_cast<const T*>(in[0]);
  const auto* b = static_cast<const T*>(in[1]);
  auto* o = static_cast<T*>(out);
  for (int64_t i = 0; i < n; ++i) o[i] = std::copysign(a[i], b[i]);
}

// The magnitude of the first, the sign of the second: that of a NaN is read from its memory, where
// numbers other than native ones have none.
const Formula& signs_copied() {
  Formula f = real_formula<2>([](auto a, auto b) {
    using N = decltype(a);
    auto negative = (b < N(0.0)) | ((b == N(0.0)) & (N(1.0) / b < N(0.0)));
    return select(negative, -abs(a), abs(a));
  });
  constexpr int kReal = static_cast<int>(Domain::Real);
  f.loop[kReal][static_cast<int>(Model::F32)] = &copy_signs<float>;
  f.loop[kReal][static_cast<int>(Model::F64)] = &copy_signs<double>;
  return formula::keep(f);
}

void planes() {
  PointwiseDef angle;
  angle.promotion = Promotion::Float;
  angle.real = &real_formula<2>([](auto a, auto b) { return atan2(a, b); });
  add_pointwise("aten::atan2(Tensor self, Tensor other) -> Tensor", angle, kFamily);
  PointwiseDef length;
  // Scaled by the larger, so that squares neither overflow nor vanish. With an infinity it is
  // infinite even for a NaN, as in C.
  length.real = &real_formula<2>([](auto a, auto b) {
    using N = decltype(a);
    auto x = abs(a);
    auto y = abs(b);
    auto most = select(x < y, y, x);
    auto ratio = select(x < y, x, y) / most;
    auto norm = select(most == N(0.0), most, most * sqrt(N(1.0) + ratio * ratio));
    auto any_nan = select(x != x, x, select(y != y, y, norm));
    return select((x == N(INFINITY)) | (y == N(INFINITY)), N(INFINITY), any_nan);
  });
  add_pointwise("aten::hypot(Tensor self, Tensor other) -> Tensor", length, kFamily);
  PointwiseDef copysign;
  copysign.promotion = Promotion::Float;
  copysign.reads_nan_sign = true;
  copysign.real = &signs_copied();
  add_pointwise("aten::copysign.Tensor(Tensor self, Tensor other) -> Tensor", copysign, kFamily);
  add_pointwise("aten::copysign.Scalar(Tensor self, Scalar other) -> Tensor", copysign, kFamily);
}

bool integral(const ArgInfo& a) {
  return a.type.info().has_dtype && !is_float(a.type.info().dtype);
}

void check_addcdiv(const Operator& op, std::span<const ArgInfo> args, const PointwisePlan&) {
  if (!integral(args[1]) || !integral(args[2])) return;
  fail("{}: tensor1 and tensor2 are both integers; use div and mul", op.schema.name);
}

void blends() {
  PointwiseDef lerp;
  lerp.one_dtype = true;
  // ATen picks the end nearer to the weight, so that weight 1 gives `end` exactly; of negative
  // weights, newer versions take the other end below -0.5. Compilers step from the start, as it is
  // documented; infinities, and numbers that cancel, show the difference.
  lerp.real = &real_formula<3>([](auto a, auto b, auto w) {
    using N = decltype(a);
    return select(w < N(0.5), a + w * (b - a), b - (b - a) * (N(1.0) - w));
  });
  lerp.elsewhere = {&real_formula<3>([](auto a, auto b, auto w) {
                      using N = decltype(a);
                      return select(abs(w) < N(0.5), a + w * (b - a), b - (b - a) * (N(1.0) - w));
                    }),
                    &real_formula<3>([](auto a, auto b, auto w) { return a + w * (b - a); })};
  add_pointwise("aten::lerp.Tensor(Tensor self, Tensor end, Tensor weight) -> Tensor", lerp,
                kFamily);
  lerp.silent = {2};
  add_pointwise("aten::lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor", lerp,
                kFamily);
  // Products of three underflow and overflow in another order where another two come first; what a
  // subnormal one lost, a large factor shows.
  PointwiseDef fused;
  fused.bool_illegal = true;
  fused.silent = {3};
  fused.real = fused.integer =
      &any_formula<4>([](auto s, auto a, auto b, auto value) { return s + value * a * b; });
  fused.elsewhere = {
      &real_formula<4>([](auto s, auto a, auto b, auto value) { return s + value * (a * b); }),
      &real_formula<4>([](auto s, auto a, auto b, auto value) { return s + a * (value * b); })};
  add_pointwise(
      "aten::addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
      fused, kFamily);
  fused.check = &check_addcdiv;
  fused.integer = nullptr;
  fused.real =
      &real_formula<4>([](auto s, auto a, auto b, auto value) { return s + value * a / b; });
  fused.elsewhere = {
      &real_formula<4>([](auto s, auto a, auto b, auto value) { return s + value * (a / b); }),
      &real_formula<4>([](auto s, auto a, auto b, auto value) { return s + a * (value / b); })};
  add_pointwise(
      "aten::addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
      fused, kFamily);
}

void replacements() {
  PointwiseDef def;
  def.lies = Lies::AsSelf;
  def.operands = {0, 1, 2, 3};
  def.silent = {1, 2, 3};
  def.absent = {0, 0, DBL_MAX, -DBL_MAX};
  def.real = &real_formula<4>([](auto x, auto nan, auto top, auto bottom) {
    using N = decltype(x);
    auto finite = select(x == N(INFINITY), top, select(x == N(-INFINITY), bottom, x));
    return select(x != x, nan, finite);
  });
  def.integer = &int_formula<4>([](auto x, auto, auto, auto) { return x; });
  add_pointwise(
      "aten::nan_to_num(Tensor self, float? nan=None, float? posinf=None, float? neginf=None) "
      "-> Tensor",
      def, kFamily);
}

[[maybe_unused]] const bool kRegistered = [] {
  transcendental();
  rounding();
  tests();
  powers();
  planes();
  blends();
  replacements();
  return true;
}();

}  // namespace
}  // namespace fusillade
