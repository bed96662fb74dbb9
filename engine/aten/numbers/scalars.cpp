// Arithmetic of ints, floats and bools: Python's semantics.
//
// Division by zero raises; // and % follow the divisor's sign; / of ints is true division. Ints are
// 64 bits:
// + - * wrap; a power that does not fit raises. A Scalar, as x.item() gives one, is an int or a
// float when it comes.
#include <algorithm>
#include <cmath>
#include <compare>

#include "engine/ops/operator.h"
#include "engine/ops/scalar_operator.h"
#include "engine/scalar/native.h"

namespace fusillade {
namespace {

using Values = std::span<const IValue>;

uint64_t bits(int64_t v) { return static_cast<uint64_t>(v); }
IValue wrap_int(uint64_t v) { return IValue(static_cast<int64_t>(v)); }

[[noreturn]] void zero_division(const char* what) { fail("ZeroDivisionError: {} by zero", what); }

int width(unsigned __int128 v) {
  int n = 0;
  for (; v; v >>= 1) ++n;
  return n;
}

// a / b of ints rounded once: 55 bits of quotient and one that says whether there is more.
double true_division(int64_t a, int64_t b) {
  if (b == 0) zero_division("division");
  auto magnitude = [](int64_t v) { return v < 0 ? 0 - bits(v) : bits(v); };
  constexpr uint64_t kExact = uint64_t{1} << 53;
  if (magnitude(a) <= kExact && magnitude(b) <= kExact)
    return static_cast<double>(a) / static_cast<double>(b);
  unsigned __int128 x = magnitude(a);
  unsigned __int128 y = magnitude(b);
  int shift = std::max(0, 55 + width(y) - width(x));
  x <<= shift;
  uint64_t quotient = static_cast<uint64_t>(x / y) | static_cast<uint64_t>(x % y != 0);
  double r = std::ldexp(static_cast<double>(quotient), -shift);
  return (a < 0) != (b < 0) ? -r : r;
}

// An int against a float by their exact values.
std::partial_ordering order(int64_t i, double d) {
  if (std::isnan(d)) return std::partial_ordering::unordered;
  if (d >= 0x1p63) return std::partial_ordering::less;
  if (d < -0x1p63) return std::partial_ordering::greater;
  double whole = std::trunc(d);
  int64_t t = static_cast<int64_t>(whole);
  return i != t ? i <=> t : 0.0 <=> d - whole;
}

double float_mod(double a, double b) {
  if (b == 0) zero_division("float modulo");
  double r = std::fmod(a, b);
  if (r != 0) return (r < 0) != (b < 0) ? r + b : r;
  return std::copysign(0.0, b);
}

double float_floor_div(double a, double b) {
  if (b == 0) zero_division("float floor division");
  double r = std::fmod(a, b);
  double q = (a - r) / b;
  if (r != 0 && (r < 0) != (b < 0)) q -= 1;
  if (q == 0) return std::copysign(0.0, a / b);
  double f = std::floor(q);
  return q - f > 0.5 ? f + 1 : f;
}

int64_t int_pow(int64_t a, int64_t b) {
  int64_t result = 1;
  for (int64_t i = 0; i < b; ++i) {
    if (__builtin_mul_overflow(result, a, &result))
      fail("OverflowError: {} ** {} does not fit 64 bits", a, b);
    if (result == 0 || (result == 1 && a == 1)) break;
    if (a == -1) return b % 2 ? -1 : 1;
  }
  return result;
}

double float_pow(double a, double b) {
  if (a == 0 && b < 0) fail("ZeroDivisionError: 0.0 cannot be raised to a negative power");
  double r = std::pow(a, b);
  if (std::isinf(r) && std::isfinite(a) && std::isfinite(b)) fail("OverflowError: {} ** {}", a, b);
  if (a < 0 && std::isfinite(a) && b != std::floor(b))
    fail("a complex result of {} ** {} is not supported", a, b);
  return r;
}

IValue whole(double d) {
  if (std::isnan(d)) fail("ValueError: cannot convert float NaN to integer");
  if (!(d >= -0x1p63 && d < 0x1p63))
    fail("OverflowError: cannot convert float {} to a 64-bit int", d);
  return IValue(static_cast<int64_t>(d));
}

bool any_float(Values v) {
  return std::any_of(v.begin(), v.end(), [](const IValue& x) { return x.is_float(); });
}

// The form for Scalars of a function that has one for ints and one for floats.
template <class I, class F>
void add_number_form(const std::string& schema, I, F) {
  ScalarOptions raises;
  raises.generate = false;
  add_scalar(schema, [](Values v) { return any_float(v) ? F{}(v) : I{}(v); }, raises);
}

// int, float, mixed and Scalar forms of one operator whose float form is f(double, double).
template <class I, class F>
void arithmetic(const char* name, I i, F f, const char* int_result, const char* float_result,
                bool divides) {
  auto both = [&](const char* overload, const char* a, const char* b, const char* result, auto fn) {
    std::string schema = fmt::format("aten::{}.{}({} a, {} b) -> {}", name, overload, a, b, result);
    ScalarOptions o;
    o.divisor = divides ? 1 : -1;
    add_scalar(schema, fn, o);
  };
  both("int", "int", "int", int_result, i);
  both("float", "float", "float", float_result, f);
  both("int_float", "int", "float", float_result, f);
  both("float_int", "float", "int", float_result, f);
  const char* result = std::string_view(int_result) == float_result ? float_result : "Scalar";
  add_number_form(fmt::format("aten::{}(Scalar a, Scalar b) -> {}", name, result), i, f);
}

void operators() {
  arithmetic(
      "add", [](Values v) { return wrap_int(bits(v[0].as_int()) + bits(v[1].as_int())); },
      [](Values v) { return IValue(v[0].as_double() + v[1].as_double()); }, "int", "float", false);
  arithmetic(
      "sub", [](Values v) { return wrap_int(bits(v[0].as_int()) - bits(v[1].as_int())); },
      [](Values v) { return IValue(v[0].as_double() - v[1].as_double()); }, "int", "float", false);
  arithmetic(
      "mul", [](Values v) { return wrap_int(bits(v[0].as_int()) * bits(v[1].as_int())); },
      [](Values v) { return IValue(v[0].as_double() * v[1].as_double()); }, "int", "float", false);
  arithmetic(
      "div", [](Values v) { return IValue(true_division(v[0].as_int(), v[1].as_int())); },
      [](Values v) {
        if (v[1].as_double() == 0) zero_division("division");
        return IValue(v[0].as_double() / v[1].as_double());
      },
      "float", "float", true);
  arithmetic(
      "floordiv",
      [](Values v) {
        if (v[1].as_int() == 0) zero_division("integer division");
        return IValue(integer::floor_div(v[0].as_int(), v[1].as_int()));
      },
      [](Values v) { return IValue(float_floor_div(v[0].as_double(), v[1].as_double())); }, "int",
      "float", true);
  arithmetic(
      "remainder",
      [](Values v) {
        if (v[1].as_int() == 0) zero_division("integer modulo");
        return IValue(integer::floor_mod(v[0].as_int(), v[1].as_int()));
      },
      [](Values v) { return IValue(float_mod(v[0].as_double(), v[1].as_double())); }, "int",
      "float", true);
}

void powers() {
  ScalarOptions raises;
  raises.generate = false;
  auto power = [](Values v) { return IValue(float_pow(v[0].as_double(), v[1].as_double())); };
  add_scalar("aten::pow.int(int a, int b) -> float", power, raises);
  add_scalar("aten::pow.float(float a, float b) -> float", power, raises);
  add_scalar("aten::pow.int_float(int a, float b) -> float", power, raises);
  add_scalar("aten::pow.float_int(float a, int b) -> float", power, raises);
  add_scalar("aten::pow.Scalar_Scalar(Scalar a, Scalar b) -> float", power, raises);
  add_scalar(
      "aten::pow.int_to_int(int a, int b) -> int",
      [](Values v) {
        if (v[1].as_int() < 0)
          fail("ValueError: int ** {} is no int: give the base as a float", v[1].as_int());
        return IValue(int_pow(v[0].as_int(), v[1].as_int()));
      },
      raises);
}

template <class I, class F, class IF, class FI>
void comparison(const char* name, I i, F f, IF int_float, FI float_int) {
  add_scalar(fmt::format("aten::{}.int(int a, int b) -> bool", name), i);
  add_scalar(fmt::format("aten::{}.float(float a, float b) -> bool", name), f);
  add_scalar(fmt::format("aten::{}.int_float(int a, float b) -> bool", name), int_float);
  add_scalar(fmt::format("aten::{}.float_int(float a, int b) -> bool", name), float_int);
  ScalarOptions plain;
  plain.generate = false;
  add_scalar(
      fmt::format("aten::{}(Scalar a, Scalar b) -> bool", name),
      [](Values v) {
        if (v[0].is_float()) return v[1].is_float() ? F{}(v) : FI{}(v);
        return v[1].is_float() ? IF{}(v) : I{}(v);
      },
      plain);
}

#define FUS_COMPARISON(name, op)                                                    \
  comparison(                                                                       \
      #name, [](Values v) { return IValue(v[0].as_int() op v[1].as_int()); },       \
      [](Values v) { return IValue(v[0].as_double() op v[1].as_double()); },        \
      [](Values v) { return IValue(order(v[0].as_int(), v[1].as_double()) op 0); }, \
      [](Values v) { return IValue(0 op order(v[1].as_int(), v[0].as_double())); });
void comparisons() {
  FUS_COMPARISON(lt, <)
  FUS_COMPARISON(le, <=)
  FUS_COMPARISON(gt, >)
  FUS_COMPARISON(ge, >=)
  FUS_COMPARISON(eq, ==)
  FUS_COMPARISON(ne, !=)
  add_scalar("aten::eq.bool(bool a, bool b) -> bool",
             [](Values v) { return IValue(v[0].as_bool() == v[1].as_bool()); });
  add_scalar("aten::ne.bool(bool a, bool b) -> bool",
             [](Values v) { return IValue(v[0].as_bool() != v[1].as_bool()); });
}
#undef FUS_COMPARISON

void logic() {
  add_scalar("aten::__and__.bool(bool a, bool b) -> bool",
             [](Values v) { return IValue(v[0].as_bool() && v[1].as_bool()); });
  add_scalar("aten::__or__.bool(bool a, bool b) -> bool",
             [](Values v) { return IValue(v[0].as_bool() || v[1].as_bool()); });
  add_scalar("aten::__xor__.bool(bool a, bool b) -> bool",
             [](Values v) { return IValue(v[0].as_bool() != v[1].as_bool()); });
  add_scalar("aten::__not__(bool self) -> bool", [](Values v) { return IValue(!v[0].as_bool()); });
  add_scalar("aten::__and__.int(int a, int b) -> int",
             [](Values v) { return IValue(v[0].as_int() & v[1].as_int()); });
  add_scalar("aten::__or__.int(int a, int b) -> int",
             [](Values v) { return IValue(v[0].as_int() | v[1].as_int()); });
  add_scalar("aten::__xor__.int(int a, int b) -> int",
             [](Values v) { return IValue(v[0].as_int() ^ v[1].as_int()); });
  ScalarOptions raises;
  raises.generate = false;
  add_scalar(
      "aten::__lshift__.int(int a, int b) -> int",
      [](Values v) {
        int64_t a = v[0].as_int(), by = v[1].as_int();
        if (by < 0) fail("ValueError: negative shift count");
        int64_t out = by > 63 ? 0 : static_cast<int64_t>(bits(a) << by);
        if (a != 0 && (by > 63 || out >> by != a))
          fail("OverflowError: {} << {} does not fit 64 bits", a, by);
        return IValue(out);
      },
      raises);
  add_scalar(
      "aten::__rshift__.int(int a, int b) -> int",
      [](Values v) {
        if (v[1].as_int() < 0) fail("ValueError: negative shift count");
        return IValue(v[0].as_int() >> std::min<int64_t>(v[1].as_int(), 63));
      },
      raises);
  add_scalar("aten::bitwise_not.int(int a) -> int",
             [](Values v) { return IValue(~v[0].as_int()); });
  ScalarOptions identity;
  identity.generate = false;
  // Of values whose types say that they may be of different kinds, as Python compares them.
  add_scalar(
      "prim::equal(t1 a, t2 b) -> bool", [](Values v) { return IValue(equal_values(v[0], v[1])); },
      identity);
  add_scalar(
      "aten::__is__(t1 self, t2 obj) -> bool",
      [](Values v) { return IValue(v[0].identical(v[1])); }, identity);
  add_scalar(
      "aten::__isnot__(t1 self, t2 obj) -> bool",
      [](Values v) { return IValue(!v[0].identical(v[1])); }, identity);
}

void conversions() {
  ScalarOptions raises;
  raises.generate = false;
  auto to_int = [](Values v) {
    return v[0].is_float() ? whole(v[0].as_double()) : IValue(v[0].as_int());
  };
  auto to_float = [](Values v) { return IValue(v[0].as_double()); };
  auto to_bool = [](Values v) { return IValue(v[0].as_double() != 0); };
  add_scalar("aten::Int.Scalar(Scalar a) -> int", to_int, raises);
  add_scalar("aten::Int.float(float a) -> int", to_int, raises);
  // A Scalar where an int is kept; int() would cut a fraction off unasked.
  add_scalar(
      "prim::whole_number(Scalar a) -> int",
      [](Values v) {
        double d = v[0].as_double();
        if (v[0].is_float() && d != std::floor(d))
          fail("TypeError: {} is no int, and an int is wanted here; int() cuts it", d);
        return v[0].is_float() ? whole(d) : IValue(v[0].as_int());
      },
      raises);
  add_scalar("aten::Int.bool(bool a) -> int", to_int);
  add_scalar("aten::Int.int(int a) -> int", to_int);
  add_scalar("aten::Float.Scalar(Scalar a) -> float", to_float, raises);
  add_scalar("aten::Float.int(int a) -> float", to_float);
  add_scalar("aten::Float.bool(bool a) -> float", to_float);
  add_scalar("aten::Bool.int(int a) -> bool", to_bool);
  add_scalar("aten::Bool.float(float a) -> bool", to_bool);
}

void functions() {
  auto minus_int = [](Values v) { return wrap_int(0 - bits(v[0].as_int())); };
  auto minus_float = [](Values v) { return IValue(-v[0].as_double()); };
  add_scalar("aten::neg.int(int a) -> int", minus_int);
  add_scalar("aten::neg.float(float a) -> float", minus_float);
  add_number_form("aten::neg.Scalar(Scalar a) -> Scalar", minus_int, minus_float);
  auto least_int = [](Values v) { return IValue(std::min(v[0].as_int(), v[1].as_int())); };
  auto most_int = [](Values v) { return IValue(std::max(v[0].as_int(), v[1].as_int())); };
  auto least = [](Values v) {
    return IValue(v[1].as_double() < v[0].as_double() ? v[1].as_double() : v[0].as_double());
  };
  auto most = [](Values v) {
    return IValue(v[1].as_double() > v[0].as_double() ? v[1].as_double() : v[0].as_double());
  };
  add_scalar("prim::min.int(int a, int b) -> int", least_int);
  add_scalar("prim::max.int(int a, int b) -> int", most_int);
  add_scalar("prim::min.float(float a, float b) -> float", least);
  add_scalar("prim::max.float(float a, float b) -> float", most);
  add_scalar("prim::min.int_float(int a, float b) -> float", least);
  add_scalar("prim::max.int_float(int a, float b) -> float", most);
  add_scalar("prim::min.float_int(float a, int b) -> float", least);
  add_scalar("prim::max.float_int(float a, int b) -> float", most);
  add_number_form("prim::min(Scalar a, Scalar b) -> Scalar", least_int, least);
  add_number_form("prim::max(Scalar a, Scalar b) -> Scalar", most_int, most);
  auto size_int = [](Values v) {
    int64_t x = v[0].as_int();
    return x < 0 ? wrap_int(0 - bits(x)) : IValue(x);
  };
  auto size_float = [](Values v) { return IValue(std::fabs(v[0].as_double())); };
  add_scalar("prim::abs.int(int a) -> int", size_int);
  add_scalar("prim::abs.float(float a) -> float", size_float);
  add_number_form("prim::abs.Scalar(Scalar a) -> Scalar", size_int, size_float);
  ScalarOptions raises;
  raises.generate = false;
  add_scalar(
      "aten::floor.float(float a) -> int",
      [](Values v) { return whole(std::floor(v[0].as_double())); }, raises);
  add_scalar(
      "aten::ceil.float(float a) -> int",
      [](Values v) { return whole(std::ceil(v[0].as_double())); }, raises);
  add_scalar(
      "aten::__range_length(int lo, int hi, int step) -> int",
      [](Values v) {
        int64_t lo = v[0].as_int(), hi = v[1].as_int(), step = v[2].as_int();
        if (step == 0) fail("ValueError: range() arg 3 must not be zero");
        if (step > 0 ? lo >= hi : lo <= hi) return IValue(int64_t{0});
        uint64_t span = step > 0 ? bits(hi) - bits(lo) : bits(lo) - bits(hi);
        uint64_t by = step > 0 ? bits(step) : 0 - bits(step);
        return wrap_int(1 + (span - 1) / by);
      },
      raises);
  add_scalar("aten::__derive_index(int index, int start, int step) -> int", [](Values v) {
    return wrap_int(bits(v[1].as_int()) + bits(v[0].as_int()) * bits(v[2].as_int()));
  });
}

[[maybe_unused]] const bool kRegistered = [] {
  operators();
  powers();
  comparisons();
  logic();
  conversions();
  functions();
  return true;
}();

}  // namespace
}  // namespace fusillade
