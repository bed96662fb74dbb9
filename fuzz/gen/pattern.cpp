// See pattern.h.
#include "fuzz/gen/pattern.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fusillade::fuzz {
namespace {

constexpr double kShare = 0.35;  // of tensors that have a pattern

Tensor all_memory(const Tensor& t) {
  const int64_t count = static_cast<int64_t>(t.storage()->bytes() / size_of(t.dtype()));
  return Tensor::view_of(t, 0, {count}, {1});
}

bool has_negative(DType dtype) { return dtype != DType::Bool && dtype != DType::U8; }

int least_exponent(DType dtype) {
  switch (dtype) {
    case DType::F16:
      return -24;
    case DType::BF16:
      return -133;
    case DType::F32:
      return -149;
    default:
      return -1074;
  }
}

double greatest(DType dtype) {
  switch (dtype) {
    case DType::F16:
      return 65504;
    case DType::BF16:
      return std::ldexp(255, 120);
    case DType::F32:
      return static_cast<double>(std::numeric_limits<float>::max());
    default:
      return std::numeric_limits<double>::max();
  }
}

// Elements of patterns that are of given programs alone; `v`: as drawn.
double rare_real(Choices& choices, Pattern pattern, DType dtype, bool minus, double v) {
  const bool half = dtype == DType::F16;
  const double unit = std::ldexp(1.0, -row_of(dtype).significand);
  const double sign = minus ? -1 : 1;
  switch (pattern) {
    case Pattern::Huge:
      return sign * (1 + std::abs(std::sin(v))) * (half ? 1e4 : 1e30);
    case Pattern::Tiny:
      return sign * (1 + std::abs(std::sin(v))) * (half ? 1e-4 : 1e-30);
    case Pattern::NearOne:
      return sign * (1 - std::ldexp(unit, static_cast<int>(choices.below(16))));
    case Pattern::Whole:
      return std::isfinite(v) ? std::nearbyint(std::fmod(v, 64)) : sign;
    case Pattern::NotFinite:
      return choices.chance(0.3)   ? v
             : choices.chance(0.4) ? std::numeric_limits<double>::quiet_NaN()
                                   : sign * std::numeric_limits<double>::infinity();
    default:
      return -0.0;
  }
}

int64_t rare_integer(Choices& choices, Pattern pattern, int64_t v, int64_t most, bool is_signed) {
  switch (pattern) {
    case Pattern::Huge:
      return choices.chance(0.5) || !is_signed ? most : -most - 1;
    case Pattern::Tiny:
      return choices.chance(0.5) || !is_signed ? 1 : -1;
    case Pattern::NearOne:
      return choices.between(is_signed ? -1 : 0, 1);
    case Pattern::NotFinite:
      return choices.chance(0.5) && is_signed ? -1 : most;
    case Pattern::NegativeZero:
      return 0;
    default:
      return v;
  }
}

void fill_reals(Choices& choices, Pattern pattern, const Tensor& t) {
  const int64_t n = t.numel();
  const int least = least_exponent(t.dtype());
  const int most = t.dtype() == DType::F16 ? 15 : 100;
  const int lowest = t.dtype() == DType::F16 ? -14 : -100;
  const uint64_t signs = choices.below(3);  // of powers and subnormals: plus, minus, both
  const double first = n ? element_as_double(t, 0) : 0;
  const double zero = choices.chance(0.2) ? -0.0 : 0.0;
  for (int64_t i = 0; i < n; ++i) {
    double v = element_as_double(t, i);
    const double size = v == 0 ? 1 : std::abs(v);
    const bool minus = signs == 1 || (signs == 2 && (i & 1));
    switch (pattern) {
      case Pattern::Positive:
        v = size;
        break;
      case Pattern::Negative:
        v = -size;
        break;
      case Pattern::Zero:
        v = zero;
        break;
      case Pattern::Equal:
        v = first;
        break;
      case Pattern::PowersOfTwo:
        v = std::ldexp(minus ? -1 : 1, static_cast<int>(choices.between(lowest, most)));
        break;
      case Pattern::Subnormal:
        v = std::ldexp(static_cast<double>(choices.between(1, 100)) * (minus ? -1 : 1), least);
        break;
      case Pattern::Ascending:
        v = static_cast<double>(i) / 8;
        break;
      case Pattern::Extremes:
        v = greatest(t.dtype()) * (i & 1 ? 1 : -1);
        break;
      default:
        v = rare_real(choices, pattern, t.dtype(), minus, v);
        break;
    }
    set_element(t, i, v);
  }
}

void fill_integers(Choices& choices, Pattern pattern, const Tensor& t) {
  const int64_t n = t.numel();
  const bool boolean = t.dtype() == DType::Bool;
  const bool is_signed = has_negative(t.dtype());
  const uint64_t bits = boolean ? 1 : 8 * size_of(t.dtype()) - (is_signed ? 1 : 0);
  const int64_t most = static_cast<int64_t>((uint64_t{1} << bits) - 1);
  const uint64_t signs = is_signed ? choices.below(3) : 0;
  const int64_t first = n ? element_as_int(t, 0) : 0;
  for (int64_t i = 0; i < n; ++i) {
    int64_t v = element_as_int(t, i);
    const int64_t size = v == 0 ? 1 : v < 0 ? (v < -most ? most : -v) : v;
    const bool minus = signs == 1 || (signs == 2 && (i & 1));
    switch (pattern) {
      case Pattern::Positive:
        v = size;
        break;
      case Pattern::Negative:
        v = is_signed ? -size : first;
        break;
      case Pattern::Zero:
        v = 0;
        break;
      case Pattern::Equal:
        v = first;
        break;
      case Pattern::PowersOfTwo:
      case Pattern::Subnormal:
        v = (int64_t{1} << choices.below(bits)) * (minus ? -1 : 1);
        break;
      case Pattern::Ascending:
        v = most == INT64_MAX ? i : i % (most + 1);
        break;
      case Pattern::Extremes:
        v = i & 1 ? most : is_signed ? -most - 1 : 0;
        break;
      default:
        v = rare_integer(choices, pattern, v, most, is_signed);
        break;
    }
    set_element_int(t, i, v);
  }
}

}  // namespace

void apply_pattern(Choices& choices, Pattern pattern, const Tensor& t) {
  if (!t.storage()) return;
  const Tensor all = all_memory(t);
  if (is_float(t.dtype())) fill_reals(choices, pattern, all);
  else fill_integers(choices, pattern, all);
}

void draw_pattern(Choices& choices, const Tensor& t) {
  static constexpr Pattern kPatterns[] = {
      Pattern::Positive,  Pattern::Positive,    Pattern::Positive, Pattern::Negative,
      Pattern::Negative,  Pattern::Zero,        Pattern::Equal,    Pattern::Equal,
      Pattern::Subnormal, Pattern::PowersOfTwo, Pattern::Ascending};
  if (!choices.chance(kShare)) return;
  apply_pattern(choices, kPatterns[choices.below(std::size(kPatterns))], t);
}

}  // namespace fusillade::fuzz
