// Element-wise arithmetic, comparison, logic and bits; minimum, maximum, clamp.
//
// Operators are ATen's (native_functions.yaml, 1.13). NaN propagates through maximum, minimum and
// clamp, and of two zeros these return the first operand.
#include <cmath>
#include <deque>

#include "engine/ops/pointwise.h"

namespace fusillade {
namespace {

constexpr const char* kFamily = "pointwise";

// a when it is NaN, else the larger (smaller) of the two, b when that is NaN.
auto larger = [](auto a, auto b) {
  return select(a != a, a, select(b != b, b, select(a < b, b, a)));
};
auto smaller = [](auto a, auto b) {
  return select(a != a, a, select(b != b, b, select(b < a, b, a)));
};
auto larger_int = [](auto a, auto b) { return select(a < b, b, a); };
auto smaller_int = [](auto a, auto b) { return select(b < a, b, a); };

// Python's remainder and floor division of floats, as ATen computes them from C's fmod.
auto floor_mod_real = [](auto a, auto b) {
  using N = decltype(a);
  auto r = fmod(a, b);  // NaN falls through every test and stays
  auto down = select(b < N(0.0), r + b, r);
  auto up = select(b < N(0.0), r, r + b);
  return select(r < N(0.0), up, select(r == N(0.0), r, down));
};
auto floor_div_real = [](auto a, auto b) {
  using N = decltype(a);
  auto ratio = a / b;
  auto r = fmod(a, b);
  auto whole = (a - r) / b;
  auto opposite = ((r < N(0.0)) & (b > N(0.0))) | ((r > N(0.0)) & (b < N(0.0)));
  whole = select(opposite, whole - N(1.0), whole);
  auto down = floor(whole);
  down = select(whole - down > N(0.5), down + N(1.0), down);
  auto zero = select(ratio < N(0.0), N(-0.0), select(ratio == N(0.0), ratio, N(0.0)));
  return select(b == N(0.0), ratio, select(whole == N(0.0), zero, down));
};

void pair(const std::string& name, PointwiseDef def, bool in_place = true) {
  std::string n = "aten::" + name;
  add_pointwise((n + ".Tensor(Tensor self, Tensor other) -> Tensor").c_str(), def, kFamily,
                in_place);
  add_pointwise((n + ".Scalar(Tensor self, Scalar other) -> Tensor").c_str(), def, kFamily,
                in_place);
}

bool has_dtype(const ArgInfo& a, DType dtype) {
  return a.type.is_tensor() ? a.type.info().has_dtype && a.type.info().dtype == dtype
                            : dtype == DType::Bool && a.type.is(TypeKind::Bool);
}

void check_alpha(const Operator& op, std::span<const ArgInfo> args, const PointwisePlan& plan) {
  if (is_float(plan.compute) || !args[2].type.is(TypeKind::Float)) return;
  fail("{}: alpha must be an integer for {} operands", op.schema.name, name_of(plan.compute));
}

void check_difference(const Operator& op, std::span<const ArgInfo> args,
                      const PointwisePlan& plan) {
  for (const ArgInfo& a : args.first(2)) {
    if (has_dtype(a, DType::Bool)) {
      fail("{}: bools cannot be subtracted; use bitwise_not, or bitwise_xor", op.schema.name);
    }
  }
  check_alpha(op, args, plan);
}

void sums() {
  const Formula& add2 = narrow_formula<2>([](auto a, auto b) { return a + b; });
  const Formula& add3 = narrow_formula<3>([](auto a, auto b, auto alpha) { return a + alpha * b; });
  const Formula& sub2 = narrow_formula<2>([](auto a, auto b) { return a - b; });
  const Formula& sub3 = narrow_formula<3>([](auto a, auto b, auto alpha) { return a - alpha * b; });
  const Formula& rsub2 = narrow_formula<2>([](auto a, auto b) { return b - a; });
  const Formula& rsub3 =
      narrow_formula<3>([](auto a, auto b, auto alpha) { return b - alpha * a; });
  auto family = [](const std::string& name, const Formula& three, const Formula& two, bool bools,
                   bool in_place) {
    PointwiseDef def;
    def.real = def.integer = &three;
    def.check = bools ? &check_alpha : &check_difference;
    def.bool_illegal = !bools;
    def.silent = {2};
    def.specials = {{2, 1.0, &two, &two}};
    std::string n = "aten::" + name;
    add_pointwise((n + ".Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor").c_str(),
                  def, kFamily, in_place);
    add_pointwise((n + ".Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor").c_str(), def,
                  kFamily, in_place);
  };
  family("add", add3, add2, true, true);
  family("sub", sub3, sub2, false, true);
  family("rsub", rsub3, rsub2, false, false);
}

void quotients() {
  PointwiseDef div;
  div.promotion = Promotion::Float;
  div.real = &real_formula<2>([](auto a, auto b) { return a / b; });
  pair("div", div);
  PointwiseDef whole;
  whole.bool_illegal = true;
  whole.divisor = 1;
  whole.real = &real_formula<2>(floor_div_real);
  whole.integer = &int_formula<2>([](auto a, auto b) { return floor_div(a, b); });
  PointwiseDef rounded = whole;
  rounded.mode_arg = 2;
  rounded.modes = {
      {nullptr, Promotion::Float, div.real, nullptr},
      {"trunc", Promotion::Common, &real_formula<2>([](auto a, auto b) { return trunc(a / b); }),
       &int_formula<2>([](auto a, auto b) { return trunc_div(a, b); })},
      {"floor", Promotion::Common, whole.real, whole.integer}};
  add_pointwise("aten::div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor",
                rounded, kFamily);
  add_pointwise("aten::div.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor",
                rounded, kFamily);
  whole.in_place_name = "aten::floor_divide_.Tensor";
  add_pointwise("aten::floor_divide(Tensor self, Tensor other) -> Tensor", whole, kFamily);
  whole.in_place_name = nullptr;
  add_pointwise("aten::floor_divide.Scalar(Tensor self, Scalar other) -> Tensor", whole, kFamily);
}

void products() {
  PointwiseDef mul;
  mul.real = mul.integer = &narrow_formula<2>([](auto a, auto b) { return a * b; });
  pair("mul", mul);
  quotients();
  PointwiseDef rem;
  rem.real = &real_formula<2>(floor_mod_real);
  rem.integer = &int_formula<2>([](auto a, auto b) { return floor_mod(a, b); });
  rem.bool_illegal = true;
  rem.divisor = 1;
  pair("remainder", rem);
  rem.generate = false;  // a generator does not know that no element may be 0
  add_pointwise("aten::remainder.Scalar_Tensor(Scalar self, Tensor other) -> Tensor", rem, kFamily,
                false);
  PointwiseDef fmods;
  fmods.real = &real_formula<2>([](auto a, auto b) { return fmod(a, b); });
  fmods.integer = &int_formula<2>([](auto a, auto b) { return trunc_mod(a, b); });
  fmods.bool_illegal = true;
  fmods.divisor = 1;
  pair("fmod", fmods);
}

void comparisons() {
  auto add = [](const char* name, const Formula& f) {
    PointwiseDef def;
    def.promotion = Promotion::Predicate;
    def.real = def.integer = &f;
    pair(name, def);
  };
  add("eq", narrow_formula<2>([](auto a, auto b) { return a == b; }));
  add("ne", narrow_formula<2>([](auto a, auto b) { return a != b; }));
  add("lt", narrow_formula<2>([](auto a, auto b) { return a < b; }));
  add("le", narrow_formula<2>([](auto a, auto b) { return a <= b; }));
  add("gt", narrow_formula<2>([](auto a, auto b) { return a > b; }));
  add("ge", narrow_formula<2>([](auto a, auto b) { return a >= b; }));
}

void logic() {
  // Operands take their common dtype first: 65536 with a tensor of i16 is 0.
  auto add = [](const char* schema, const Formula& f) {
    PointwiseDef def;
    def.promotion = Promotion::Predicate;
    def.real = def.integer = &f;
    add_pointwise(schema, def, kFamily);
  };
  add("aten::logical_and(Tensor self, Tensor other) -> Tensor", any_formula<2>([](auto a, auto b) {
        using N = decltype(a);
        return (a != N(0.0)) & (b != N(0.0));
      }));
  add("aten::logical_or(Tensor self, Tensor other) -> Tensor", any_formula<2>([](auto a, auto b) {
        using N = decltype(a);
        return (a != N(0.0)) | (b != N(0.0));
      }));
  add("aten::logical_xor(Tensor self, Tensor other) -> Tensor", any_formula<2>([](auto a, auto b) {
        using N = decltype(a);
        return ((a != N(0.0)) & (b == N(0.0))) | ((a == N(0.0)) & (b != N(0.0)));
      }));
  PointwiseDef negation;
  negation.promotion = Promotion::Logical;
  negation.integer = negation.boolean = &int_formula<1>([](auto a) {
    using N = decltype(a);
    return a == N(0.0);
  });
  add_pointwise("aten::logical_not(Tensor self) -> Tensor", negation, kFamily);
}

// Of an operator of Python: the in-place form of __and__ is __iand__.
void operator_pair(const std::string& stem, PointwiseDef def) {
  static std::deque<std::string> kept;
  for (const char* other : {"Tensor", "Scalar"}) {
    def.in_place_name = kept.emplace_back(fmt::format("aten::__i{}__.{}", stem, other)).c_str();
    std::string schema =
        fmt::format("aten::__{}__.{}(Tensor self, {} other) -> Tensor", stem, other, other);
    add_pointwise(schema.c_str(), def, kFamily);
  }
}

void bits() {
  auto logic = [](const std::string& stem, const Formula& f) {
    PointwiseDef def;
    def.integer = &f;
    pair("bitwise_" + stem, def);
    std::string left =
        "aten::bitwise_" + stem + ".Scalar_Tensor(Scalar self, Tensor other) -> Tensor";
    add_pointwise(left.c_str(), def, kFamily, false);
    operator_pair(stem, def);
  };
  logic("and", narrow_int_formula<2>([](auto a, auto b) { return bit_and(a, b); }));
  logic("or", narrow_int_formula<2>([](auto a, auto b) { return bit_or(a, b); }));
  logic("xor", narrow_int_formula<2>([](auto a, auto b) { return bit_xor(a, b); }));
  auto shift = [](const std::string& stem, const std::string& side, const Formula& f) {
    PointwiseDef def;
    def.bool_illegal = true;
    def.integer = &f;
    operator_pair(stem, def);
    std::string n = "aten::bitwise_" + side + "_shift";
    add_pointwise((n + ".Tensor(Tensor self, Tensor other) -> Tensor").c_str(), def, kFamily);
    add_pointwise((n + ".Tensor_Scalar(Tensor self, Scalar other) -> Tensor").c_str(), def,
                  kFamily);
    add_pointwise((n + ".Scalar_Tensor(Scalar self, Tensor other) -> Tensor").c_str(), def, kFamily,
                  false);
  };
  shift("lshift", "left", int_formula<2>([](auto a, auto b) { return shl(a, b); }));
  shift("rshift", "right", int_formula<2>([](auto a, auto b) { return shr(a, b); }));
  PointwiseDef inverse;
  inverse.integer = &narrow_int_formula<1>([](auto a) { return bit_not(a); });
  inverse.boolean = &int_formula<1>([](auto a) {
    using N = decltype(a);
    return select(a == N(0.0), N(1.0), N(0.0));
  });
  add_pointwise("aten::bitwise_not(Tensor self) -> Tensor", inverse, kFamily);
}

void check_clamp(const Operator& op, std::span<const ArgInfo> args, const PointwisePlan& plan) {
  bool low = !args[1].type.is(TypeKind::None);
  bool high = !args[2].type.is(TypeKind::None);
  if (!low && !high) fail("{}: at least one of min and max must be given", op.schema.name);
  if (low && high && plan.compute == DType::Bool)
    fail("{} is not defined for bool", op.schema.name);
}

// By numbers, bools have no kernel, in any version; by tensors they have.
void check_clamp_by_numbers(const Operator& op, std::span<const ArgInfo> args,
                            const PointwisePlan& plan) {
  if (args.size() > 2) check_clamp(op, args, plan);
  if (plan.compute == DType::Bool) fail("{} is not defined for bool", op.schema.name);
}

void extremes() {
  PointwiseDef top;
  top.real = &real_formula<2>(larger);
  top.integer = &narrow_int_formula<2>(larger_int);
  PointwiseDef bottom;
  bottom.real = &real_formula<2>(smaller);
  bottom.integer = &narrow_int_formula<2>(smaller_int);
  auto binary = [](const char* name, const PointwiseDef& def) {
    add_pointwise(fmt::format("aten::{}(Tensor self, Tensor other) -> Tensor", name).c_str(), def,
                  kFamily, false);
  };
  binary("maximum", top);
  binary("max.other", top);
  binary("minimum", bottom);
  binary("min.other", bottom);
  // The other operand where one is NaN.
  PointwiseDef fmax;
  fmax.real = &real_formula<2>(
      [](auto a, auto b) { return select(a != a, b, select(b != b, a, select(a < b, b, a))); });
  fmax.integer = top.integer;
  binary("fmax", fmax);
  PointwiseDef fmin;
  fmin.real = &real_formula<2>(
      [](auto a, auto b) { return select(a != a, b, select(b != b, a, select(b < a, b, a))); });
  fmin.integer = bottom.integer;
  binary("fmin", fmin);
  add_pointwise("aten::clamp_min.Tensor(Tensor self, Tensor min) -> Tensor", top, kFamily);
  add_pointwise("aten::clamp_max.Tensor(Tensor self, Tensor max) -> Tensor", bottom, kFamily);
  top.checked = bottom.checked = {1};
  top.check = bottom.check = &check_clamp_by_numbers;
  add_pointwise("aten::clamp_min(Tensor self, Scalar min) -> Tensor", top, kFamily);
  add_pointwise("aten::clamp_max(Tensor self, Scalar max) -> Tensor", bottom, kFamily);
}

void clamps() {
  PointwiseDef clamp;
  clamp.check = &check_clamp;
  clamp.real =
      &real_formula<3>([](auto x, auto lo, auto hi) { return smaller(larger(x, lo), hi); });
  clamp.integer = &narrow_int_formula<3>(
      [](auto x, auto lo, auto hi) { return smaller_int(larger_int(x, lo), hi); });
  clamp.absent = {0, -INFINITY, INFINITY};
  // One number alone that is NaN bounds nothing; of two, it makes everything NaN (1.13).
  const Formula& below =
      real_formula<2>([](auto x, auto hi) { return select(hi != hi, x, smaller(x, hi)); });
  const Formula& above =
      real_formula<2>([](auto x, auto lo) { return select(lo != lo, x, larger(x, lo)); });
  PointwiseDef numbers = clamp;
  numbers.checked = {1, 2};
  numbers.check = &check_clamp_by_numbers;
  numbers.specials = {{1, NAN, &below, nullptr}, {2, NAN, &above, nullptr}};
  add_pointwise("aten::clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor", numbers,
                kFamily);
  add_pointwise("aten::clamp.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor",
                clamp, kFamily);
}

[[maybe_unused]] const bool kRegistered = [] {
  sums();
  products();
  comparisons();
  logic();
  bits();
  extremes();
  clamps();
  return true;
}();

}  // namespace
}  // namespace fusillade
