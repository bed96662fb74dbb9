// Activations of neural networks: relu and its relatives, gelu, the exponential units, shrinkage.
//
// Formulas are ATen's CPU kernels', term by term, so that limits and cancellation agree: silu(-inf)
// is NaN, elu is exp(x) - 1 and not expm1. Most are for floats only. Their numbers (slopes, limits)
// are converted to the tensor's dtype and take no part in promotion.
#include <cmath>

#include "engine/ops/pointwise.h"

namespace fusillade {
namespace {

constexpr const char* kFamily = "pointwise";

// An operator for floats whose other arguments are numbers.
void real_operator(const char* schema, const Formula& f, PointwiseCheck check = nullptr,
                   bool in_place = true, int divisor = -1,
                   std::vector<const Formula*> elsewhere = {}) {
  PointwiseDef def;
  def.real = &f;
  def.elsewhere = std::move(elsewhere);
  def.check = check;
  def.divisor = divisor;
  for (int i = 1; i < f.arity; ++i) def.silent.push_back(i);
  add_pointwise(schema, def, kFamily, in_place);
}

// Of two zeros the first, NaN of x stays.
auto clamp_to = [](auto x, auto lo, auto hi) {
  auto up = select(x < lo, lo, x);
  return select(up > hi, hi, up);
};

// The same between two numbers, of which one that is NaN makes everything NaN.
auto clamp_with_nan = [](auto x, auto lo, auto hi) {
  auto up = select(lo != lo, lo, select(x < lo, lo, x));
  return select(hi != hi, hi, select(up > hi, hi, up));
};

void check_limits(const Operator& op, std::span<const ArgInfo> args, const PointwisePlan& plan) {
  if (plan.compute != DType::U8) return;
  for (const ArgInfo& a : args.subspan(1)) {
    if (!a.known) decline("{}: a limit is not constant", op.name);
    if (a.value.as_double() >= 0) continue;
    fail("{}: u8 cannot have the negative limit {}", op.schema.name, describe(a.value));
  }
}

void rectifiers() {
  PointwiseDef relu;
  relu.bool_illegal = true;
  relu.real = relu.integer = &any_formula<1>([](auto x) {
    using N = decltype(x);
    return select(x < N(0.0), N(0.0), x);
  });
  add_pointwise("aten::relu(Tensor self) -> Tensor", relu, kFamily);
  PointwiseDef six = relu;
  six.lies = Lies::AsSelf;
  six.real = six.integer = &any_formula<1>([](auto x) {
    using N = decltype(x);
    return clamp_to(x, N(0.0), N(6.0));
  });
  add_pointwise("aten::relu6(Tensor self) -> Tensor", six, kFamily);
  PointwiseDef hard;
  hard.bool_illegal = true;
  hard.lies = Lies::AsSelf;
  hard.silent = {1, 2};
  hard.check = &check_limits;
  hard.real = hard.integer = &any_formula<3>(clamp_with_nan);
  add_pointwise("aten::hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor", hard,
                kFamily);
  PointwiseDef threshold;
  threshold.bool_illegal = true;
  threshold.silent = {1, 2};
  threshold.real = threshold.integer =
      &any_formula<3>([](auto x, auto limit, auto value) { return select(x <= limit, value, x); });
  add_pointwise("aten::threshold(Tensor self, Scalar threshold, Scalar value) -> Tensor", threshold,
                kFamily);
  real_operator("aten::leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor",
                real_formula<2>([](auto x, auto slope) {
                  using N = decltype(x);
                  return select(x > N(0.0), x, x * slope);
                }));
  PointwiseDef leak;
  leak.one_dtype = true;
  leak.real = &real_formula<2>([](auto x, auto slope) {
    using N = decltype(x);
    return select(x > N(0.0), x, slope * x);
  });
  add_pointwise("aten::_prelu_kernel(Tensor self, Tensor weight) -> Tensor", leak, kFamily, false);
}

void hard_sigmoids() {
  real_operator("aten::hardsigmoid(Tensor self) -> Tensor", real_formula<1>([](auto x) {
                  using N = decltype(x);
                  return clamp_to(x + N(3.0), N(0.0), N(6.0)) / N(6.0);
                }));
  real_operator("aten::hardswish(Tensor self) -> Tensor", real_formula<1>([](auto x) {
                  using N = decltype(x);
                  return x * clamp_to(x + N(3.0), N(0.0), N(6.0)) / N(6.0);
                }));
}

void check_lambda(const Operator& op, std::span<const ArgInfo> args, const PointwisePlan&) {
  if (!args[1].known) decline("{}: lambd is not constant", op.name);
  if (args[1].value.as_double() >= 0) return;
  fail("{}: lambd is {}; it must be at least 0", op.schema.name, describe(args[1].value));
}

void shrinkage() {
  real_operator("aten::hardshrink(Tensor self, Scalar lambd=0.5) -> Tensor",
                real_formula<2>([](auto x, auto l) {
                  using N = decltype(x);
                  return select((x >= -l) & (x <= l), N(0.0), x);
                }),
                nullptr, false);
  real_operator("aten::softshrink(Tensor self, Scalar lambd=0.5) -> Tensor",
                real_formula<2>([](auto x, auto l) {
                  using N = decltype(x);
                  return select(x > l, x - l, select(x < -l, x + l, N(0.0)));
                }),
                &check_lambda, false);
}

auto exponential_unit = [](auto x, auto alpha, auto scale, auto input_scale) {
  using N = decltype(x);
  return select(x <= N(0.0), (exp(x * input_scale) - N(1.0)) * (alpha * scale), x * scale);
};

void check_celu(const Operator& op, std::span<const ArgInfo> args, const PointwisePlan&) {
  if (!args[1].known) decline("{}: alpha is not constant", op.name);
  if (args[1].value.as_double() != 0) return;
  fail("{}: alpha cannot be 0 (ZeroDivisionError)", op.schema.name);
}

void exponential_units() {
  // 0 on the other side: 0 * input_scale and alpha * scale may be NaN.
  const Formula& below = real_formula<4>([](auto x, auto alpha, auto scale, auto input_scale) {
    using N = decltype(x);
    return select(x < N(0.0), (exp(x * input_scale) - N(1.0)) * (alpha * scale), x * scale);
  });
  real_operator(
      "aten::elu(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor",
      real_formula<4>(exponential_unit), nullptr, true, -1, {&below});
  real_operator("aten::selu(Tensor self) -> Tensor", real_formula<1>([](auto x) {
                  using N = decltype(x);
                  return exponential_unit(x, N(1.6732632423543772848170429916717),
                                          N(1.0507009873554804934193349852946), N(1.0));
                }));
  // x / alpha for x * (1 / alpha): the exponent's last bit is worth |x / alpha| ulp.
  const Formula& divided = real_formula<2>([](auto x, auto alpha) {
    using N = decltype(x);
    return select(x <= N(0.0), expm1(x / alpha) * alpha, x);
  });
  real_operator("aten::celu(Tensor self, Scalar alpha=1.) -> Tensor",
                real_formula<2>([](auto x, auto alpha) {
                  using N = decltype(x);
                  return exponential_unit(x, alpha, N(1.0), N(1.0) / alpha);
                }),
                &check_celu, true, 1, {&divided});
}

void smooth_units() {
  real_operator("aten::silu(Tensor self) -> Tensor", real_formula<1>([](auto x) {
                  using N = decltype(x);
                  return x / (N(1.0) + exp(-x));
                }));
  real_operator("aten::mish(Tensor self) -> Tensor",
                real_formula<1>([](auto x) { return x * tanh(log1p(exp(x))); }));
  real_operator("aten::softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor",
                real_formula<3>([](auto x, auto beta, auto threshold) {
                  return select(x * beta > threshold, x, log1p(exp(x * beta)) / beta);
                }),
                nullptr, false);
  real_operator("aten::log_sigmoid(Tensor self) -> Tensor", real_formula<1>([](auto x) {
                  using N = decltype(x);
                  return select(x < N(0.0), x, N(0.0)) - log1p(exp(-abs(x)));
                }),
                nullptr, false);
}

void gelus() {
  PointwiseDef gelu;
  gelu.operands = {0};
  gelu.mode_arg = 1;
  gelu.modes = {{"none", Promotion::Common, &real_formula<1>([](auto x) {
                   using N = decltype(x);
                   return x * N(0.5) * (N(1.0) + erf(x * N(M_SQRT1_2)));
                 }),
                 nullptr},
                {"tanh", Promotion::Common, &real_formula<1>([](auto x) {
                   using N = decltype(x);
                   auto inner = N(M_SQRT2 * M_2_SQRTPI * 0.5) * (x + N(0.044715) * (x * x * x));
                   return N(0.5) * x * (N(1.0) + tanh(inner));
                 }),
                 nullptr}};
  add_pointwise("aten::gelu(Tensor self, *, str approximate=\"none\") -> Tensor", gelu, kFamily);
}

void logits() {
  PointwiseDef logit;
  logit.promotion = Promotion::Float;
  logit.operands = {0, 1};
  logit.silent = {1};
  logit.absent = {0, -1};  // a negative eps clamps nothing
  logit.real = &real_formula<2>([](auto x, auto eps) {
    using N = decltype(x);
    auto high = N(1.0) - eps;
    auto inside = select(x < eps, eps, select(x > high, high, x));
    auto z = select(eps < N(0.0), x, inside);
    return log(z / (N(1.0) - z));
  });
  add_pointwise("aten::logit(Tensor self, float? eps=None) -> Tensor", logit, kFamily);
}

[[maybe_unused]] const bool kRegistered = [] {
  rectifiers();
  hard_sigmoids();
  shrinkage();
  exponential_units();
  smooth_units();
  gelus();
  logits();
  return true;
}();

}  // namespace
}  // namespace fusillade
