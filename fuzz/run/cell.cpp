// See cell.h.
#include "fuzz/run/cell.h"

#include <algorithm>
#include <cfloat>
#include <cmath>

#include "engine/tensor/block.h"

namespace fusillade::fuzz {
namespace {

constexpr int64_t kExact = int64_t{1} << 53;

// Has every value in `b` an integer of this type when it is truncated?
bool has_integer(const Bounded& b, DType to) {
  IntRange full = full_range(to);
  double most = to == DType::I64 ? 0x1p63 : static_cast<double>(full.hi) + 1;
  double least = static_cast<double>(full.lo) - (to == DType::I64 ? 0 : 1);
  bool low = to == DType::I64 ? b.lo >= least : b.lo > least;
  return !b.must_nan && !b.may_nan && low && b.hi < most;
}

bool is_half(DType dtype) { return dtype == DType::F16 || dtype == DType::BF16; }

// Stored to 16 bits, or kept as it was.
Bounded narrow_to(const Bounded& wide, DType to) {
  Bounded narrow = round_to(wide, to);
  if (!NoPromises::on() || wide.must_nan) return narrow;
  narrow.lo = std::min(narrow.lo, wide.lo);
  narrow.hi = std::max(narrow.hi, wide.hi);
  return narrow;
}

}  // namespace

std::optional<DType> half_steps(DType compute) {
  return NoPromises::half() && is_half(compute) ? std::optional(compute) : std::nullopt;
}

Steps steps_of(DType compute) {
  if (half_steps(compute) == DType::F16) return {0x1p-11, 0x1p-24, 0x1p-14, 65504};
  if (half_steps(compute) == DType::BF16) return {0x1p-8, 0x1p-133, FLT_MIN, 0x1.fep127};
  if (compute_of(compute) == Model::F64) return {0x1p-53, 0x1p-1074, DBL_MIN, DBL_MAX};
  return {0x1p-24, 0x1p-149, FLT_MIN, FLT_MAX};
}

IntRange full_range(DType dtype) {
  switch (dtype) {
    case DType::Bool:
      return {0, 1};
    case DType::U8:
      return {0, UINT8_MAX};
    case DType::I8:
      return {INT8_MIN, INT8_MAX};
    case DType::I16:
      return {INT16_MIN, INT16_MAX};
    case DType::I32:
      return {INT32_MIN, INT32_MAX};
    default:
      return {INT64_MIN, INT64_MAX};
  }
}

Bounded to_real(const IntRange& r, DType to) {
  // Integers convert to the compute type in one rounding.
  auto one = [&](int64_t v) {
    return compute_of(to) == Model::F64 ? static_cast<double>(v)
                                        : static_cast<double>(static_cast<float>(v));
  };
  Bounded wide = Bounded::range(one(r.lo), one(r.hi));
  return is_half(to) ? narrow_to(wide, to) : round_to(wide, to);
}

Bounded to_real(const Bounded& b, DType to) {
  return is_half(to) ? narrow_to(round_to(b, DType::F32), to) : round_to(b, to);
}

Bounded convert_bounds(const Bounded& b, DType to) {
  Precision wide(Model::F64);  // so that f32 is a narrowing
  return to_real(b, to);
}

IntRange to_whole(const IntRange& r, DType to) {
  if (r.exact()) {
    int64_t v = r.lo;
    round_block(to, 1, &v);
    return {v, v};
  }
  IntRange full = full_range(to);
  if (to == DType::Bool) return r.lo > 0 || r.hi < 0 ? IntRange{1, 1} : full;
  return r.lo >= full.lo && r.hi <= full.hi ? r : full;
}

IntRange to_whole(const Bounded& b, DType to) {
  if (to == DType::Bool) {
    bool zero = !b.must_nan && b.lo <= 0 && b.hi >= 0;
    bool only_zero = !b.must_nan && !b.may_nan && b.lo == 0 && b.hi == 0;
    return {zero ? 0 : 1, only_zero ? 0 : 1};
  }
  if (NoPromises::on() && !has_integer(b, to)) return full_range(to);
  if (b.must_nan) return to_whole(IntRange{INT64_MIN, INT64_MIN}, to);
  if (b.may_nan) return full_range(to);
  if (b.lo == b.hi) {
    int64_t v = float_to_int(b.lo);
    return to_whole(IntRange{v, v}, to);
  }
  IntRange full = full_range(to);
  if (!(b.lo > -0x1p62 && b.hi < 0x1p62)) return full;
  return to_whole(IntRange{float_to_int(b.lo), float_to_int(b.hi)}, to);
}

Bounded as_bounded(const IntRange& r) {
  if (r.lo < -kExact || r.hi > kExact) return Bounded::all();
  return Bounded::range(static_cast<double>(r.lo), static_cast<double>(r.hi));
}

void convert_cell(const Cells& from, int64_t i, Cells& to, int64_t k) {
  size_t a = static_cast<size_t>(i);
  size_t b = static_cast<size_t>(k);
  bool same = from.dtype == to.dtype;
  if (is_float(to.dtype)) {
    if (same) {
      to.real[b] = from.real[a];
      if (from.sums.empty() && to.sums.empty()) return;
      to.sums.resize(to.real.size());
      to.sums[b] = from.sums.empty() ? nullptr : from.sums[a];
    } else
      to.real[b] = is_float(from.dtype) ? convert_bounds(from.real[a], to.dtype)
                                        : to_real(from.whole[a], to.dtype);
  } else {
    if (same) to.whole[b] = from.whole[a];
    else
      to.whole[b] = is_float(from.dtype) ? to_whole(from.real[a], to.dtype)
                                         : to_whole(from.whole[a], to.dtype);
  }
}

}  // namespace fusillade::fuzz
