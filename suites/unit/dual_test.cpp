// Dual numbers against differences, and the gradient of each element-wise operator against dual
// numbers: the text of a gradient and the formula of its operator must say the same, to the last
// digits.
#include "engine/scalar/dual.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/front/autograd.h"
#include "engine/ops/gradient.h"

namespace fusillade {
namespace {

TEST(Dual, FunctionsMoveAsDifferencesSay) {
  const auto check = [](const char* name, auto f, double x) {
    const double h = 1e-5;
    const double up = f(Dual(x + h)).v, down = f(Dual(x - h)).v;
    EXPECT_NEAR(f(Dual::of(x, 1)).d, (up - down) / (2 * h), 1e-6) << name << " at " << x;
    EXPECT_EQ(f(Dual::of(x, 0)).d, 0) << name << " at " << x;
  };
#define FUS_CHECK_AT(f, op) \
  for (double x : {0.3, 0.7}) check(#f, [](Dual a) { return f(a); }, x);
  FUS_SCALAR_UNARY(FUS_CHECK_AT)
#undef FUS_CHECK_AT
  for (double x : {-2.3, -0.4, 3.7, 20.5}) check("lgamma", [](Dual a) { return lgamma(a); }, x);
#define FUS_CHECK_AT(f, op)                                                         \
  for (double x : {0.3, 1.7}) check(#f, [](Dual a) { return f(a, Dual(0.6)); }, x); \
  for (double x : {0.3, 1.7}) check(#f, [](Dual a) { return f(Dual(0.8), a); }, x);
  FUS_SCALAR_BINARY(FUS_CHECK_AT)
#undef FUS_CHECK_AT
  check("a quotient", [](Dual a) { return (a * a - Dual(1)) / (a + Dual(3)); }, 0.4);
  EXPECT_EQ(abs(Dual::of(0, 1)).d, 0);
  EXPECT_EQ(sqrt(Dual::of(0, 0)).d, 0);
  EXPECT_EQ(pow(Dual::of(0, 1), Dual(1)).d, 1);
  EXPECT_EQ(pow(Dual::of(0, 1), Dual(0)).d, 0);
}

// Numbers for an argument, in one of several ranges that functions are defined on.
Tensor numbers(double from, double to, int argument, const Dims& sizes) {
  Tensor t = Tensor::empty(sizes, DType::F64);
  for (int64_t i = 0; i < t.numel(); ++i) {
    const double part = static_cast<double>((i * (3 + argument) + argument) % 7) / 7 + 0.031;
    set_element(t, i, from + (to - from) * part);
  }
  return t;
}

// What masked_fill fills with is one number; all else has seven elements.
Dims sizes_of(const SchemaArg& a) { return a.name == "value" ? Dims() : Dims{7}; }

// A legal value of each argument that is no tensor of floats.
IValue other_argument(const SchemaArg& a) {
  if (a.name == "min") return IValue(0.2);
  if (a.name == "max") return IValue(1.7);
  if (a.has_default) return a.default_value;
  if (a.type.is(TypeKind::Optional)) return {};
  if (a.type.is(TypeKind::Device)) return IValue(Device());
  if (a.type.is(TypeKind::Int)) return IValue(static_cast<int64_t>(row_of(DType::F64).aten_code));
  return IValue(0.75);
}

bool is_mask(const SchemaArg& a) {
  return a.name == "mask" || a.name == "condition" || a.name == "kept";
}

bool has_formula(const Gradient& g, const std::string& arg) {
  return std::ranges::any_of(g.formulas, [&](const auto& f) { return f.arg == arg; });
}

// Is it given numbers in a tensor? One that may be absent is, where it has a gradient.
bool takes_numbers(const Gradient& g, const SchemaArg& a) {
  if (a.type.is_tensor()) return !is_mask(a);
  return a.type.is(TypeKind::Optional) && a.type.element().is_tensor() && has_formula(g, a.name);
}

Tensor mask() {
  Tensor t = Tensor::empty({7}, DType::Bool);
  for (int64_t i = 0; i < 7; ++i) set_element_int(t, i, i % 2);
  return t;
}

// How the sum of the operator's results moves along `directions`, by its formula.
double by_formula(const Operator& op, const std::vector<IValue>& args,
                  const std::vector<Tensor>& directions) {
  const PointwisePlan plan = op.pointwise(op, infos_of(args));
  double total = 0;
  for (int64_t i = 0; i < 7; ++i) {
    Dual operands[4];
    const Dual* in[4];
    for (size_t k = 0; k < plan.operands.size(); ++k) {
      const auto& o = plan.operands[k];
      const IValue& v = o.arg < 0 ? o.literal : args[static_cast<size_t>(o.arg)];
      in[k] = &operands[k];
      if (!v.is_tensor()) {
        operands[k] = Dual(v.as_double());
        continue;
      }
      const Tensor& direction = directions[static_cast<size_t>(o.arg)];
      const int64_t at = i % v.as_tensor().numel();
      operands[k] = Dual::of(element_as_double(v.as_tensor(), at),
                             direction.is_defined() ? element_as_double(direction, at) : 0);
    }
    Dual out;
    plan.formula->dual(in, &out, 1);
    total += std::isnan(out.v) ? NAN : out.d;  // no number has no slope
  }
  return total;
}

double by_tape(const Operator& op, const std::vector<IValue>& args,
               const std::vector<Tensor>& directions) {
  eager::Gradients on;
  std::vector<Tensor> leaves, along;
  for (size_t i = 0; i < args.size(); ++i) {
    if (!directions[i].is_defined()) continue;
    leaves.push_back(eager::requires_grad(args[i].as_tensor()));
    along.push_back(directions[i]);
  }
  Tensor result = call(op, args).at(0).as_tensor();
  const IValue ones =
      call(fusillade::operator_named("aten::ones_like"), std::vector<IValue>{result}).at(0);
  std::vector<Tensor> grads =
      eager::gradients({result}, leaves, {.seeds = {ones.as_tensor()}, .allow_unused = true});
  double total = 0;
  for (size_t k = 0; k < grads.size(); ++k)
    for (int64_t i = 0; grads[k].is_defined() && i < grads[k].numel(); ++i)
      total += element_as_double(grads[k], i) * element_as_double(along[k], i);
  return total;
}

// Does the operator agree with its gradient where its numbers lie in this range? False where it is
// not defined there.
bool agrees(const Operator& op, const Gradient& g, double from, double to) {
  std::vector<IValue> args;
  std::vector<Tensor> directions;
  for (const SchemaArg& a : op.schema.args) {
    const int index = static_cast<int>(args.size());
    const bool tensor = takes_numbers(g, a);
    const bool moves = tensor && has_formula(g, a.name);
    directions.push_back(moves ? numbers(-1, 1, index + 3, sizes_of(a)) : Tensor());
    if (tensor) args.emplace_back(numbers(from, to, index, sizes_of(a)));
    else if (a.type.is_tensor()) args.emplace_back(mask());
    else args.push_back(other_argument(a));
  }
  double expected = 0;
  try {
    expected = by_formula(op, args, directions);
  } catch (const Exception&) {
    return false;
  }
  if (!std::isfinite(expected)) return false;
  const double said = by_tape(op, args, directions);
  EXPECT_NEAR(said, expected, 1e-11 * (1 + std::fabs(expected)))
      << op.name << " on [" << from << ", " << to << "]";
  return true;
}

TEST(Dual, GradientsSayWhatFormulasDo) {
  int operators = 0;
  for (const Gradient& g : gradients()) {
    const Operator& r = operator_named(g.name);
    if (!r.pointwise || g.formulas.empty()) continue;
    bool tried = false;
    for (auto [from, to] :
         {std::pair(0.05, 0.9), {1.1, 2.5}, {-0.9, 0.9}, {-4.0, 4.0}, {-9.0, -5.0}})
      tried = agrees(r, g, from, to) || tried;
    EXPECT_TRUE(tried) << r.name << " was tried nowhere";
    ++operators;
  }
  EXPECT_GT(operators, 100);
}

}  // namespace
}  // namespace fusillade
