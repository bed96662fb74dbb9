// Inputs of one call. Each tensor draws what kind of values it holds: normal, log-uniform over the
// whole exponent range, small integers, ties of rounding, or special values sprinkled in. Integers
// have their own ties: neighbours of powers of two, where a narrower carrier (a float, a smaller
// integer) drops the last bit.
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/tensor/block.h"
#include "fuzz/case/failing.h"
#include "fuzz/case/input_range.h"
#include "fuzz/gen/generate.h"
#include "fuzz/gen/source_types.h"
#include "fuzz/gen/way.h"

namespace fusillade::fuzz {
namespace {

enum class ValueKind { Normal, SmallInt, LogUniform, Ties, Specials, Table };

ValueKind draw_kind(Choices& choices) {
  static constexpr ValueKind kKinds[] = {
      ValueKind::Normal,   ValueKind::Normal,   ValueKind::Normal,
      ValueKind::SmallInt, ValueKind::SmallInt, ValueKind::LogUniform,
      ValueKind::Ties,     ValueKind::Specials, ValueKind::Table};
  return kKinds[choices.below(std::size(kKinds))];
}

// Roughly normal from three uniform words: mean 0, deviation about 1. Doubles get digits that no
// float has.
double normal(Choices& choices, DType dtype) {
  double sum = dtype == DType::F64 ? choices.unit() * 0x1p-19 : 0;
  for (int i = 0; i < 3; ++i) sum += static_cast<double>(choices.below(1u << 20)) * 0x1p-19 - 1;
  return sum;
}

double special(Choices& choices, DType dtype) {
  static constexpr double kSpecials[] = {0.0,   -0.0,    INFINITY, -INFINITY, NAN,
                                         1.0,   -1.0,    0x1p-149, 0x1p-126,  0x1.fffffep+127,
                                         65504, 0x1p-24, 0x1p+31,  -0x1p+63};
  double v = kSpecials[choices.below(std::size(kSpecials))];
  if (dtype == DType::F64 && v == 0x1p-149) return 0x1p-1074;
  return v;
}

// Values at which formulas change their form: tenths, around zero down to subnormal numbers,
// integers close to powers of two, huge numbers.
double of_table(Choices& choices, DType dtype) {
  static constexpr double kTable[] = {
      0x1p-149,    0x1p-140,    0x1.8p-127, 0x1p-126,      0x1.fffffcp-127,
      0x1p-60,     0x1p-24,     0x1p-12,    1e-3,          2047,
      2048,        2049,        0x1p+24,    0x1p+24 + 1,   0x1p+31,
      0x1p+31 - 1, 0x1p+53 + 2, 0x1p+62,    1e10,          0x1.fffffep+127,
      1e38,        88.72,       709.78,     0x1.921fb6p+1, INFINITY,
      NAN,         0.0,         65504};
  static constexpr Way<double (*)(Choices&)> kWays[] = {
      {1, [](Choices& c) { return static_cast<double>(c.between(0, 40)) * 0.1; }},
      {1, [](Choices& c) { return static_cast<double>(c.between(0, 9)); }},
      {1, [](Choices& c) { return kTable[c.below(std::size(kTable))]; }}};
  double v = draw_way(choices, kWays)(choices);
  if (dtype == DType::F64 && v == 0x1p-149) v = 0x1p-1074;
  return choices.chance(0.5) ? v : -v;
}

double real_value(Choices& choices, ValueKind kind, DType dtype) {
  switch (kind) {
    case ValueKind::SmallInt:
      return static_cast<double>(choices.between(-4, 8));
    case ValueKind::LogUniform: {
      int reach = dtype == DType::F64 ? 300 : dtype == DType::F16 ? 14 : 100;
      double v = std::ldexp(1.0 + choices.unit(), static_cast<int>(choices.between(-reach, reach)));
      return choices.chance(0.5) ? v : -v;
    }
    case ValueKind::Ties:
      return static_cast<double>(choices.between(-9, 9)) + 0.5;
    case ValueKind::Table:
      return of_table(choices, dtype);
    case ValueKind::Specials:
      if (choices.chance(0.3)) return special(choices, dtype);
      return normal(choices, dtype);
    default:
      return normal(choices, dtype);
  }
}

int64_t int_value(Choices& choices, ValueKind kind, DType dtype) {
  if (dtype == DType::Bool) return choices.chance(0.5);
  if (kind == ValueKind::Specials && choices.chance(0.3)) {
    static constexpr int64_t kExtremes[] = {0,         1,         -1,        INT8_MIN,
                                            INT8_MAX,  UINT8_MAX, INT16_MIN, INT16_MAX,
                                            INT32_MIN, INT32_MAX, INT64_MIN, INT64_MAX};
    return kExtremes[choices.below(std::size(kExtremes))];
  }
  if (kind == ValueKind::LogUniform)
    return static_cast<int64_t>(choices.bits()) >> choices.below(64);
  if (kind == ValueKind::Ties || kind == ValueKind::Table) {
    int64_t power = int64_t{1} << choices.below(static_cast<uint64_t>(size_of(dtype)) * 8 - 1);
    return (choices.chance(0.5) ? power : -power) + choices.between(-3, 3);
  }
  return choices.between(dtype == DType::U8 ? 0 : -6, 9);
}

Tensor draw_tensor(Choices& choices, const TensorInfo& info) {
  int64_t memory = 1;
  for (int d = 0; d < info.sizes.rank(); ++d) {
    if (info.sizes[d] == 0) memory = 0;
    memory += memory ? (info.sizes[d] - 1) * info.strides[d] : 0;
  }
  Tensor base = Tensor::empty({memory}, info.dtype);
  ValueKind kind = draw_kind(choices);
  constexpr int64_t kChunk = 256;
  double reals[kChunk];
  int64_t ints[kChunk];
  size_t size = size_of(info.dtype);
  for (int64_t at = 0; at < memory; at += kChunk) {
    int64_t n = std::min(kChunk, memory - at);
    void* to = base.raw() + static_cast<size_t>(at) * size;
    if (is_float(info.dtype)) {
      for (int64_t i = 0; i < n; ++i) reals[i] = real_value(choices, kind, info.dtype);
      store_block<double>(info.dtype, to, 1, n, reals);
    } else {
      for (int64_t i = 0; i < n; ++i) ints[i] = int_value(choices, kind, info.dtype);
      store_block<int64_t>(info.dtype, to, 1, n, ints);
    }
  }
  return Tensor::view_of(base, 0, info.sizes, info.strides);
}

}  // namespace

IValue draw_tensor_value(Choices& choices, const TensorInfo& info) {
  return draw_tensor(choices, info);
}

IValue draw_indices(Choices& choices, const TensorInfo& info, int64_t lo, int64_t hi) {
  Tensor t = Tensor::empty(info.sizes, info.dtype);
  constexpr int64_t kSteps = 16;  // of a float between two integers
  for (int64_t i = 0; i < t.numel(); ++i) {
    if (is_float(info.dtype))
      set_element(t, i, static_cast<double>(choices.between(lo * kSteps, hi * kSteps)) / kSteps);
    else set_element_int(t, i, choices.between(lo, hi));
  }
  return IValue(t);
}

// Iterations of a loop: few, or about as many as are unrolled at a time, or less than none.
static int64_t draw_iterations(Choices& choices) {
  const std::vector<int64_t> iterations = {0, 1, 2, 3, 4, 0, 1, 2, 3,  4,
                                           0, 1, 2, 3, 4, 7, 8, 9, 17, -1};
  return choices.pick(iterations);
}

Call generate_call(Choices& choices, const std::vector<std::pair<std::string, Type>>& inputs) {
  Call call;
  for (const auto& [name, type] : inputs) {
    switch (type.kind()) {
      case TypeKind::Tensor: {
        if (name == kUnlike) {
          const bool meets = choices.chance(0.7);
          const TensorInfo info =
              Type::tensor(DType::F32, meets ? Dims() : Dims{kUnlikeSize}).info();
          call.inputs.push_back(draw_tensor_value(choices, info));
          break;
        }
        int64_t lo = 0, hi = 0;
        bool indices = range_of_name(name, &lo, &hi);
        call.inputs.push_back(indices ? draw_indices(choices, type.info(), lo, hi)
                                      : draw_tensor_value(choices, type.info()));
        break;
      }
      case TypeKind::Int:
        if (name == kDivisor) call.inputs.emplace_back(choices.between(0, 2));
        else
          call.inputs.emplace_back(name == "trips" ? draw_iterations(choices)
                                                   : choices.between(-3, 9));
        break;
      case TypeKind::Float:
        call.inputs.emplace_back(real_value(choices, draw_kind(choices), DType::F64));
        break;
      case TypeKind::Bool:
        call.inputs.emplace_back(choices.chance(name == kFails ? 0.3 : 0.5));
        break;
      default:
        call.inputs.push_back(draw_value(choices, type));
    }
  }
  return call;
}

}  // namespace fusillade::fuzz
