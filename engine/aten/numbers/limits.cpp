// What torch.finfo and torch.iinfo say of a dtype, given by its ATen number: limits, precision,
// bits.
#include <cmath>
#include <limits>

#include "engine/ops/scalar_operator.h"

namespace fusillade {
namespace {

using Values = std::span<const IValue>;

// A format by the digits of its mantissa, the implied one included, and its largest exponent.
double float_limit(int digits, int top, const std::string& name) {
  double largest = std::ldexp(2.0 - std::ldexp(1.0, 1 - digits), top);
  if (name == "max") return largest;
  if (name == "min") return -largest;
  if (name == "eps") return std::ldexp(1.0, 1 - digits);
  if (name == "tiny" || name == "smallest_normal") return std::ldexp(1.0, 1 - top);
  if (name == "resolution") return std::pow(10.0, -std::floor((digits - 1) * std::log10(2.0)));
  fail(
      "torch.finfo has no attribute '{}': there are min, max, eps, tiny, smallest_normal, "
      "resolution and bits",
      name);
}

IValue finfo(Values v) {
  const std::string& name = v[1].as_str();
  switch (DType dtype = dtype_from_aten(v[0].as_int())) {
    case DType::F16:
      return IValue(float_limit(11, 15, name));
    case DType::BF16:
      return IValue(float_limit(8, 127, name));
    case DType::F32:
      return IValue(float_limit(24, 127, name));
    case DType::F64:
      return IValue(float_limit(53, 1023, name));
    default:
      fail("torch.finfo takes a dtype of floats, given {}", name_of(dtype));
  }
}

IValue iinfo(Values v) {
  const std::string& name = v[1].as_str();
  DType dtype = dtype_from_aten(v[0].as_int());
  int bits = static_cast<int>(8 * size_of(dtype));
  if (name == "bits") return IValue(bits);
  if (is_float(dtype) || dtype == DType::Bool)
    fail("torch.iinfo takes a dtype of integers, given {}", name_of(dtype));
  if (name != "min" && name != "max")
    fail("torch.iinfo has no attribute '{}': there are min, max and bits", name);
  if (dtype == DType::U8) return IValue(name == "max" ? 255 : 0);
  int64_t largest = static_cast<int64_t>((uint64_t{1} << (bits - 1)) - 1);
  return IValue(name == "max" ? largest : -largest - 1);
}

[[maybe_unused]] const bool kRegistered = [] {
  ScalarOptions o;
  o.generate = false;
  add_scalar("prim::finfo(int dtype, str name) -> float", [](Values v) { return finfo(v); }, o);
  add_scalar("prim::iinfo(int dtype, str name) -> int", [](Values v) { return iinfo(v); }, o);
  return true;
}();

}  // namespace
}  // namespace fusillade
