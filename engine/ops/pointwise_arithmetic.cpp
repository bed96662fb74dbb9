// Element-wise arithmetic, comparison, logic and bits; minimum, maximum, clamp, where.
//
// Rows are ATen's (native_functions.yaml, 1.13). NaN propagates through maximum, minimum and clamp.
#include <cmath>

#include "engine/ops/pointwise.h"

namespace fusillade {
namespace {

constexpr const char* kFamily = "pointwise_arithmetic";

// a when it is NaN, else the larger (smaller) of the two, b when that is NaN.
auto larger = [](auto a, auto b) { return select(a != a, a, select(b != b, b, select(a < b, b, a))); };
auto smaller = [](auto a, auto b) { return select(a != a, a, select(b != b, b, select(b < a, b, a))); };
auto larger_int = [](auto a, auto b) { return select(a < b, b, a); };
auto smaller_int = [](auto a, auto b) { return select(b < a, b, a); };

// Python's floor division and remainder of floats, as ATen computes them from C's fmod.
auto floor_mod_real = [](auto a, auto b) {
  using N = decltype(a);
  auto r = fmod(a, b);  // NaN falls through every test and stays
  auto down = select(b < N(0.0), r + b, r);
  auto up = select(b < N(0.0), r, r + b);
  return select(r < N(0.0), up, select(r == N(0.0), r, down));
};

void pair(const std::string& name, PointwiseDef def, bool in_place = true) {
  std::string n = "aten::" + name;
  add_pointwise((n + ".Tensor(Tensor self, Tensor other) -> Tensor").c_str(), def, kFamily, in_place);
  add_pointwise((n + ".Scalar(Tensor self, Scalar other) -> Tensor").c_str(), def, kFamily, in_place);
}

void sums() {
  const Formula& add2 = any_formula<2>([](auto a, auto b) { return a + b; });
  const Formula& add3 = any_formula<3>([](auto a, auto b, auto alpha) { return a + alpha * b; });
  const Formula& sub2 = any_formula<2>([](auto a, auto b) { return a - b; });
  const Formula& sub3 = any_formula<3>([](auto a, auto b, auto alpha) { return a - alpha * b; });
  const Formula& rsub2 = any_formula<2>([](auto a, auto b) { return b - a; });
  const Formula& rsub3 = any_formula<3>([](auto a, auto b, auto alpha) { return b - alpha * a; });
  auto family = [](const std::string& name, const Formula& three, const Formula& two, bool bools,
                   bool in_place) {
    PointwiseDef def;
    def.real = def.integer = &three;
    def.bool_illegal = !bools;
    def.unit_operand = 2;
    def.unit_real = def.unit_integer = &two;
    std::string n = "aten::" + name;
    add_pointwise((n + ".Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor").c_str(), def,
                  kFamily, in_place);
    add_pointwise((n + ".Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor").c_str(), def,
                  kFamily, in_place);
  };
  family("add", add3, add2, true, true);
  family("sub", sub3, sub2, false, true);
  family("rsub", rsub3, rsub2, false, false);
}

void products() {
  PointwiseDef mul;
  mul.real = mul.integer = &any_formula<2>([](auto a, auto b) { return a * b; });
  pair("mul", mul);
  PointwiseDef div;
  div.promotion = Promotion::Float;
  div.real = &real_formula<2>([](auto a, auto b) { return a / b; });
  pair("div", div);
  PointwiseDef rem;
  rem.real = &real_formula<2>(floor_mod_real);
  rem.integer = &int_formula<2>([](auto a, auto b) { return floor_mod(a, b); });
  rem.bool_illegal = true;
  rem.divisor = 1;
  pair("remainder", rem);
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
    pair(name, def, false);
  };
  add("eq", any_formula<2>([](auto a, auto b) { return a == b; }));
  add("ne", any_formula<2>([](auto a, auto b) { return a != b; }));
  add("lt", any_formula<2>([](auto a, auto b) { return a < b; }));
  add("le", any_formula<2>([](auto a, auto b) { return a <= b; }));
  add("gt", any_formula<2>([](auto a, auto b) { return a > b; }));
  add("ge", any_formula<2>([](auto a, auto b) { return a >= b; }));
}

void logic() {
  auto add = [](const char* schema, const Formula& f) {
    PointwiseDef def;
    def.promotion = Promotion::Logical;
    def.integer = def.boolean = &f;
    add_pointwise(schema, def, kFamily, false);
  };
  add("aten::logical_and(Tensor self, Tensor other) -> Tensor",
      int_formula<2>([](auto a, auto b) {
        using N = decltype(a);
        return (a != N(0.0)) & (b != N(0.0));
      }));
  add("aten::logical_or(Tensor self, Tensor other) -> Tensor",
      int_formula<2>([](auto a, auto b) {
        using N = decltype(a);
        return (a != N(0.0)) | (b != N(0.0));
      }));
  add("aten::logical_xor(Tensor self, Tensor other) -> Tensor",
      int_formula<2>([](auto a, auto b) { return a != b; }));
  add("aten::logical_not(Tensor self) -> Tensor", int_formula<1>([](auto a) {
        using N = decltype(a);
        return a == N(0.0);
      }));
}

void bits() {
  auto both = [](const std::string& name, const Formula& f, bool in_place) {
    PointwiseDef def;
    def.integer = &f;
    pair(name, def, in_place);
  };
  const Formula& and_ = int_formula<2>([](auto a, auto b) { return bit_and(a, b); });
  const Formula& or_ = int_formula<2>([](auto a, auto b) { return bit_or(a, b); });
  const Formula& xor_ = int_formula<2>([](auto a, auto b) { return bit_xor(a, b); });
  both("bitwise_and", and_, true);
  both("bitwise_or", or_, true);
  both("bitwise_xor", xor_, true);
  both("__and__", and_, false);
  both("__or__", or_, false);
  both("__xor__", xor_, false);
  PointwiseDef shifts;
  shifts.bool_illegal = true;
  shifts.integer = &int_formula<2>([](auto a, auto b) { return shl(a, b); });
  pair("__lshift__", shifts, false);
  shifts.integer = &int_formula<2>([](auto a, auto b) { return shr(a, b); });
  pair("__rshift__", shifts, false);
  PointwiseDef inverse;
  inverse.integer = &int_formula<1>([](auto a) { return bit_not(a); });
  inverse.boolean = &int_formula<1>([](auto a) {
    using N = decltype(a);
    return select(a == N(0.0), N(1.0), N(0.0));
  });
  add_pointwise("aten::bitwise_not(Tensor self) -> Tensor", inverse, kFamily);
}

void extremes() {
  PointwiseDef top;
  top.real = &real_formula<2>(larger);
  top.integer = &int_formula<2>(larger_int);
  add_pointwise("aten::maximum(Tensor self, Tensor other) -> Tensor", top, kFamily, false);
  add_pointwise("aten::max.other(Tensor self, Tensor other) -> Tensor", top, kFamily, false);
  PointwiseDef bottom;
  bottom.real = &real_formula<2>(smaller);
  bottom.integer = &int_formula<2>(smaller_int);
  add_pointwise("aten::minimum(Tensor self, Tensor other) -> Tensor", bottom, kFamily, false);
  add_pointwise("aten::min.other(Tensor self, Tensor other) -> Tensor", bottom, kFamily, false);
  PointwiseDef clamp;
  clamp.bool_illegal = true;
  clamp.real = &real_formula<3>([](auto x, auto lo, auto hi) { return smaller(larger(x, lo), hi); });
  clamp.integer =
      &int_formula<3>([](auto x, auto lo, auto hi) { return smaller_int(larger_int(x, lo), hi); });
  clamp.absent = {0, -INFINITY, INFINITY};
  add_pointwise("aten::clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor", clamp, kFamily);
  add_pointwise("aten::clamp.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor", clamp,
                kFamily);
  PointwiseDef low = top;
  low.bool_illegal = true;
  add_pointwise("aten::clamp_min(Tensor self, Scalar min) -> Tensor", low, kFamily);
  PointwiseDef high = bottom;
  high.bool_illegal = true;
  add_pointwise("aten::clamp_max(Tensor self, Scalar max) -> Tensor", high, kFamily);
}

void choices() {
  PointwiseDef where;
  where.real = where.integer = &any_formula<3>([](auto c, auto a, auto b) {
    using N = decltype(a);
    return select(c != N(0.0), a, b);
  });
  where.silent = {0};
  add_pointwise("aten::where.self(Tensor condition, Tensor self, Tensor other) -> Tensor", where, kFamily,
                false);
  add_pointwise("aten::where.ScalarOther(Tensor condition, Tensor self, Scalar other) -> Tensor", where,
                kFamily, false);
  add_pointwise("aten::where.ScalarSelf(Tensor condition, Scalar self, Tensor other) -> Tensor", where,
                kFamily, false);
  PointwiseDef cast;
  cast.promotion = Promotion::Target;
  cast.real = cast.integer = &any_formula<1>([](auto a) { return a; });
  cast.operands = {0};
  cast.dtype_arg = 1;
  cast.may_return_self = true;
  add_pointwise(
      "aten::to.dtype(Tensor(a) self, ScalarType dtype, bool non_blocking=False, bool copy=False, "
      "MemoryFormat? memory_format=None) -> Tensor(a)",
      cast, kFamily, false);
  PointwiseDef like = cast;
  like.dtype_arg = 1;
  add_pointwise("aten::type_as(Tensor(a) self, Tensor other) -> Tensor(a)", like, kFamily, false);
}

[[maybe_unused]] const bool kRegistered = [] {
  sums();
  products();
  comparisons();
  logic();
  bits();
  extremes();
  choices();
  return true;
}();

}  // namespace
}  // namespace fusillade
