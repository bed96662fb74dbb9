// Functions of Python's math module on numbers, and divmod, round, and the like: Python's results
// and errors.
//
// A NaN that no argument brought is a "math domain error"; an infinity that no argument brought an
// OverflowError, as in CPython's math module.
#include <cmath>
#include <numeric>

#include "engine/ops/scalar_operator.h"
#include "engine/scalar/native.h"

namespace fusillade {
namespace {

using Values = std::span<const IValue>;

ScalarOptions plain() {
  ScalarOptions o;
  o.generate = false;
  return o;
}

IValue checked_result(double result, double x, double y = 0) {
  if (std::isnan(result) && !std::isnan(x) && !std::isnan(y)) fail("ValueError: math domain error");
  if (std::isinf(result) && std::isfinite(x) && std::isfinite(y))
    fail("OverflowError: math range error");
  return IValue(result);
}

template <class F>
void unary(const std::string& name, F) {
  for (const char* type : {"float", "int"}) {
    add_scalar(
        fmt::format("aten::{}.{}({} a) -> float", name, type, type),
        [](Values v) { return checked_result(F{}(v[0].as_double()), v[0].as_double()); }, plain());
  }
}

template <class F>
void binary(const std::string& name, F) {
  static constexpr const char* kForms[][3] = {{"int", "int", "int"},
                                              {"float", "float", "float"},
                                              {"int_float", "int", "float"},
                                              {"float_int", "float", "int"}};
  for (const auto& [overload, a, b] : kForms) {
    add_scalar(
        fmt::format("aten::{}.{}({} a, {} b) -> float", name, overload, a, b),
        [](Values v) {
          return checked_result(F{}(v[0].as_double(), v[1].as_double()), v[0].as_double(),
                                v[1].as_double());
        },
        plain());
  }
}

// x where a logarithm has a value.
double within(double x, double pole = 0) {
  if (x <= pole) fail("ValueError: math domain error");
  return x;
}

double logarithm(double x) { return std::log(within(x)); }

double gamma(double x) {
  if (x == 0 || (x < 0 && x == std::floor(x))) fail("ValueError: math domain error");
  return std::tgamma(x);
}

double log_gamma(double x) {
  if (x <= 0 && x == std::floor(x) && std::isfinite(x)) fail("ValueError: math domain error");
  return std::isinf(x) ? HUGE_VAL : std::lgamma(x);
}

double inverse_tanh(double x) {
  if (x == 1 || x == -1) fail("ValueError: math domain error");
  return std::atanh(x);
}

#define FUS_UNARY(name, expression) unary(name, [](double x) { return expression; });
void functions() {
  FUS_UNARY("sqrt", std::sqrt(x))
  FUS_UNARY("exp", std::exp(x))
  FUS_UNARY("expm1", std::expm1(x))
  FUS_UNARY("log", logarithm(x))
  FUS_UNARY("log2", std::log2(within(x)))
  FUS_UNARY("log10", std::log10(within(x)))
  FUS_UNARY("log1p", std::log1p(within(x, -1)))
  FUS_UNARY("sin", std::sin(x))
  FUS_UNARY("cos", std::cos(x))
  FUS_UNARY("tan", std::tan(x))
  FUS_UNARY("tanh", std::tanh(x))
  FUS_UNARY("acos", std::acos(x))
  FUS_UNARY("asin", std::asin(x))
  FUS_UNARY("atan", std::atan(x))
  FUS_UNARY("sinh", std::sinh(x))
  FUS_UNARY("cosh", std::cosh(x))
  FUS_UNARY("asinh", std::asinh(x))
  FUS_UNARY("acosh", std::acosh(x))
  FUS_UNARY("atanh", inverse_tanh(x))
  FUS_UNARY("erf", std::erf(x))
  FUS_UNARY("erfc", std::erfc(x))
  FUS_UNARY("gamma", gamma(x))
  FUS_UNARY("lgamma", log_gamma(x))
  FUS_UNARY("fabs", std::fabs(x))
  FUS_UNARY("degrees", x * (180.0 / M_PI))
  FUS_UNARY("radians", x * (M_PI / 180.0))
  binary("atan2", [](double a, double b) { return std::atan2(a, b); });
  binary("copysign", [](double a, double b) { return std::copysign(a, b); });
  binary("fmod", [](double a, double b) { return std::fmod(a, b); });
  binary("mathremainder", [](double a, double b) { return std::remainder(a, b); });
  for (const char* form : {"int_int(int a, int b)", "float_float(float a, float b)",
                           "int_float(int a, float b)", "float_int(float a, int b)"}) {
    add_scalar(
        fmt::format("aten::log.{} -> float", form),
        [](Values v) {
          double base = logarithm(v[1].as_double());
          if (base == 0) fail("ZeroDivisionError: float division by zero");
          return IValue(logarithm(v[0].as_double()) / base);
        },
        plain());
  }
}
#undef FUS_UNARY

void tests() {
  add_scalar(
      "aten::isnan.float(float a) -> bool",
      [](Values v) { return IValue(std::isnan(v[0].as_double())); }, plain());
  add_scalar(
      "aten::isinf.float(float a) -> bool",
      [](Values v) { return IValue(std::isinf(v[0].as_double())); }, plain());
  add_scalar(
      "aten::isfinite.float(float a) -> bool",
      [](Values v) { return IValue(std::isfinite(v[0].as_double())); }, plain());
}

void integers() {
  add_scalar(
      "aten::gcd.int(int a, int b) -> int",
      [](Values v) {
        auto size = [](int64_t i) {
          return i < 0 ? 0 - static_cast<uint64_t>(i) : static_cast<uint64_t>(i);
        };
        uint64_t g = std::gcd(size(v[0].as_int()), size(v[1].as_int()));
        if (g > INT64_MAX) fail("OverflowError: gcd {} does not fit 64 bits", g);
        return IValue(static_cast<int64_t>(g));
      },
      plain());
  add_scalar(
      "aten::factorial.int(int a) -> int",
      [](Values v) {
        int64_t n = v[0].as_int(), out = 1;
        if (n < 0) fail("ValueError: factorial() not defined for negative values");
        if (n > 20) fail("OverflowError: factorial({}) does not fit 64 bits", n);
        for (int64_t i = 2; i <= n; ++i) out *= i;
        return IValue(out);
      },
      plain());
  add_scalar("aten::floor.int(int a) -> int", [](Values v) { return v[0]; }, plain());
  add_scalar("aten::ceil.int(int a) -> int", [](Values v) { return v[0]; }, plain());
  add_scalar(
      "aten::round.float(float a) -> float",
      [](Values v) { return IValue(std::nearbyint(v[0].as_double())); }, plain());
  add_scalar(
      "aten::round.int(int a) -> float", [](Values v) { return IValue(v[0].as_double()); },
      plain());
  add_scalar(
      "prim::round_digits(Scalar a, int digits) -> float",
      [](Values v) {
        int64_t digits = v[1].as_int();
        double x = v[0].as_double();
        if (!std::isfinite(x) || digits > 400) return IValue(x);
        if (digits < 0) fail("round with a negative number of digits is not supported");
        return IValue(std::strtod(fmt::format("{:.{}f}", x, digits).c_str(), nullptr));
      },
      plain());
  add_scalar(
      "aten::ldexp(float x, int i) -> float",
      [](Values v) {
        double x = v[0].as_double();
        int64_t by = std::min<int64_t>(std::max<int64_t>(v[1].as_int(), -5000), 5000);
        return checked_result(std::ldexp(x, static_cast<int>(by)), x);
      },
      plain());
}

void run_frexp(const Operator&, Values v, std::vector<IValue>& results) {
  int exponent = 0;
  results.emplace_back(std::frexp(v[0].as_double(), &exponent));
  results.emplace_back(std::isfinite(v[0].as_double()) ? exponent : 0);
}

void run_modf(const Operator&, Values v, std::vector<IValue>& results) {
  double whole = 0;
  double part = std::modf(v[0].as_double(), &whole);
  results.emplace_back(part);
  results.emplace_back(whole);
}

void run_divmod(const Operator&, Values v, std::vector<IValue>& results) {
  for (const char* name : {"aten::floordiv.", "aten::remainder."}) {
    const char* form = v[0].is_int()   ? (v[1].is_int() ? "int" : "int_float")
                       : v[1].is_int() ? "float_int"
                                       : "float";
    results.push_back(call(operator_named(std::string(name) + form), v).at(0));
  }
}

[[maybe_unused]] const bool kRegistered = [] {
  functions();
  tests();
  integers();
  add_scalar_operator("aten::frexp(float a) -> (float, int)", &run_frexp, plain());
  add_scalar_operator("aten::modf(float a) -> (float, float)", &run_modf, plain());
  add_scalar_operator("aten::divmod.int(int x, int y) -> (int, int)", &run_divmod, plain());
  add_scalar_operator("aten::divmod.float(float x, float y) -> (float, float)", &run_divmod,
                      plain());
  add_scalar_operator("aten::divmod.int_float(int x, float y) -> (float, float)", &run_divmod,
                      plain());
  add_scalar_operator("aten::divmod.float_int(float x, int y) -> (float, float)", &run_divmod,
                      plain());
  return true;
}();

}  // namespace
}  // namespace fusillade
