// Element-wise functions of one operand, powers, and the activations of neural networks.
//
// Integers become f32 except where rounding or sign keeps them integers (abs, neg, floor, ceil, ...).
#include <cmath>

#include "engine/ops/pointwise.h"

namespace fusillade {
namespace {

constexpr const char* kFamily = "pointwise_math";

template <class F>
void unary(const char* name, F f, bool in_place = true) {
  PointwiseDef def;
  def.promotion = Promotion::Float;
  def.real = &real_formula<1>(f);
  add_pointwise(fmt::format("aten::{}(Tensor self) -> Tensor", name).c_str(), def, kFamily, in_place);
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
auto sigmoid = [](auto x) {
  using N = decltype(x);
  return N(1.0) / (N(1.0) + exp(-x));
};

#define FUS_UNARY(f) unary(#f, [](auto x) { return f(x); });
void transcendental() {
  FUS_UNARY(sqrt) FUS_UNARY(exp) FUS_UNARY(expm1) FUS_UNARY(log) FUS_UNARY(log1p) FUS_UNARY(log2)
  FUS_UNARY(log10) FUS_UNARY(sin) FUS_UNARY(cos) FUS_UNARY(tan) FUS_UNARY(asin) FUS_UNARY(acos)
  FUS_UNARY(atan) FUS_UNARY(sinh) FUS_UNARY(cosh) FUS_UNARY(tanh) FUS_UNARY(erf) FUS_UNARY(erfc)
  FUS_UNARY(lgamma)
  unary("rsqrt", [](auto x) {
    using N = decltype(x);
    return N(1.0) / sqrt(x);
  });
  unary("reciprocal", [](auto x) {
    using N = decltype(x);
    return N(1.0) / x;
  });
  unary("sigmoid", sigmoid);
}

void rounding() {
  keeping("abs", [](auto x) { return abs(x); }, [](auto x) { return abs(x); });
  keeping("neg", [](auto x) { return -x; }, [](auto x) { return -x; });
  keeping("floor", [](auto x) { return floor(x); }, identity);
  keeping("ceil", [](auto x) { return ceil(x); }, identity);
  keeping("trunc", [](auto x) { return trunc(x); }, identity);
  keeping("round", [](auto x) { return rint(x); }, identity);
  keeping("square", [](auto x) { return x * x; }, [](auto x) { return x * x; });
  PointwiseDef frac;
  frac.real = &real_formula<1>([](auto x) { return x - trunc(x); });
  add_pointwise("aten::frac(Tensor self) -> Tensor", frac, kFamily);
  PointwiseDef relu;
  relu.bool_illegal = true;
  relu.real = &real_formula<1>([](auto x) {
    using N = decltype(x);
    return select(x != x, x, select(x < N(0.0), N(0.0), x));
  });
  relu.integer = &int_formula<1>([](auto x) {
    using N = decltype(x);
    return select(x < N(0.0), N(0.0), x);
  });
  add_pointwise("aten::relu(Tensor self) -> Tensor", relu, kFamily);
}

void tests() {
  auto add = [](const char* name, const Formula& real, const Formula& integer) {
    PointwiseDef def;
    def.promotion = Promotion::Predicate;
    def.real = &real;
    def.integer = &integer;
    add_pointwise(fmt::format("aten::{}(Tensor self) -> Tensor", name).c_str(), def, kFamily, false);
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
}

void powers() {
  PointwiseDef power;
  power.bool_illegal = true;
  power.real = &real_formula<2>([](auto a, auto b) { return pow(a, b); });
  power.integer = &int_formula<2>([](auto a, auto b) { return pow(a, b); });
  add_pointwise("aten::pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor", power, kFamily, false);
  add_pointwise("aten::pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor", power, kFamily, false);
  add_pointwise("aten::pow.Scalar(Scalar self, Tensor exponent) -> Tensor", power, kFamily, false);
  PointwiseDef angle;
  angle.promotion = Promotion::Float;
  angle.real = &real_formula<2>([](auto a, auto b) { return atan2(a, b); });
  add_pointwise("aten::atan2(Tensor self, Tensor other) -> Tensor", angle, kFamily);
}

void blends() {
  PointwiseDef lerp;
  // ATen picks the end nearer to the weight, so that weight 1 gives `end` exactly.
  lerp.real = &real_formula<3>([](auto a, auto b, auto w) {
    using N = decltype(a);
    return select(abs(w) < N(0.5), a + w * (b - a), b - (b - a) * (N(1.0) - w));
  });
  add_pointwise("aten::lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor", lerp, kFamily);
  add_pointwise("aten::lerp.Tensor(Tensor self, Tensor end, Tensor weight) -> Tensor", lerp, kFamily);
  PointwiseDef fused;
  fused.bool_illegal = true;
  fused.real = fused.integer =
      &any_formula<4>([](auto s, auto a, auto b, auto value) { return s + value * a * b; });
  add_pointwise("aten::addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
                fused, kFamily);
  PointwiseDef threshold;
  threshold.bool_illegal = true;
  threshold.real = threshold.integer = &any_formula<3>(
      [](auto x, auto limit, auto value) { return select(x <= limit, value, x); });
  add_pointwise("aten::threshold(Tensor self, Scalar threshold, Scalar value) -> Tensor", threshold,
                kFamily);
}

void activations() {
  unary("silu", [](auto x) {
    using N = decltype(x);
    return x / (N(1.0) + exp(-x));
  });
  PointwiseDef leaky;
  leaky.real = &real_formula<2>([](auto x, auto slope) {
    using N = decltype(x);
    return select(x > N(0.0), x, x * slope);
  });
  add_pointwise("aten::leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor", leaky, kFamily);
  PointwiseDef hard;
  hard.real = &real_formula<3>([](auto x, auto lo, auto hi) {
    return select(x != x, x, select(x < lo, lo, select(x > hi, hi, x)));
  });
  add_pointwise("aten::hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor", hard,
                kFamily);
}

[[maybe_unused]] const bool kRegistered = [] {
  transcendental();
  rounding();
  tests();
  powers();
  blends();
  activations();
  return true;
}();

}  // namespace
}  // namespace fusillade
