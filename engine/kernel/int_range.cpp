// See int_range.h.
#include "engine/kernel/int_range.h"

#include <algorithm>

#include "engine/scalar/native.h"

namespace fusillade::kernel {
namespace {

constexpr int64_t kFar = int64_t{1} << 40;

std::optional<Range> unless_far(__int128 lo, __int128 hi) {
  if (lo < -kFar || hi > kFar) return std::nullopt;
  return Range{static_cast<int64_t>(lo), static_cast<int64_t>(hi)};
}

std::optional<Range> product(const Range& a, const Range& b) {
  const __int128 ends[] = {__int128{a.lo} * b.lo, __int128{a.lo} * b.hi, __int128{a.hi} * b.lo,
                           __int128{a.hi} * b.hi};
  return unless_far(std::ranges::min(ends), std::ranges::max(ends));
}

// By a positive divisor.
std::optional<Range> quotient(const Range& a, const Range& b) {
  const int64_t ends[] = {integer::floor_div(a.lo, b.lo), integer::floor_div(a.lo, b.hi),
                          integer::floor_div(a.hi, b.lo), integer::floor_div(a.hi, b.hi)};
  return Range{std::ranges::min(ends), std::ranges::max(ends)};
}

bool of_the_same_model(const ExprNode& e) {
  for (uint32_t i = 0; i < e.children; ++i)
    if (e.child[i]->model != Model::I64) return false;
  return e.children > 0;
}

}  // namespace

bool Range::fits(int bits) const {
  const int64_t most = static_cast<int64_t>((uint64_t{1} << (bits - 1)) - 1);
  return within(-most - 1, most);
}

std::optional<Range> range_of(ExprOp op, const Range& a, const Range& b) {
  switch (op) {
    case ExprOp::Neg:
      return unless_far(-__int128{a.hi}, -__int128{a.lo});
    case ExprOp::Add:
      return unless_far(__int128{a.lo} + b.lo, __int128{a.hi} + b.hi);
    case ExprOp::Sub:
      return unless_far(__int128{a.lo} - b.hi, __int128{a.hi} - b.lo);
    case ExprOp::Mul:
      return product(a, b);
    case ExprOp::FloorDiv:
      return b.lo > 0 ? quotient(a, b) : std::nullopt;
    case ExprOp::TruncDiv:
      return b.lo > 0 && a.lo >= 0 ? quotient(a, b) : std::nullopt;
    case ExprOp::FloorMod:
      if (b.lo <= 0) return std::nullopt;
      if (a.lo >= 0 && a.hi < b.lo) return a;
      return Range{0, b.hi - 1};
    case ExprOp::TruncMod:
      if (b.lo <= 0 || a.lo < 0) return std::nullopt;
      return Range{0, std::min(a.hi, b.hi - 1)};
    default:
      return std::nullopt;
  }
}

std::optional<Range> range_of(DType dtype) {
  switch (dtype) {
    case DType::Bool:
      return Range{0, 1};
    case DType::U8:
      return Range{0, UINT8_MAX};
    case DType::I8:
      return Range{INT8_MIN, INT8_MAX};
    case DType::I16:
      return Range{INT16_MIN, INT16_MAX};
    case DType::I32:
      return Range{INT32_MIN, INT32_MAX};
    default:
      return std::nullopt;
  }
}

IntRanges::IntRanges(const Kernel& kernel) : kernel_(kernel) {
  for (const ScalarParam& s : kernel.scalars)
    if (const auto range = unless_far(s.least, s.most); range && s.least >= 0)
      variables_[s.var] = *range;
}

void IntRanges::define(const Stmt& s) {
  known_.clear();
  variables_.erase(s.var);
  if (s.kind == Stmt::Kind::For) {
    const int64_t most = std::max<int64_t>(most_of(kernel_, s.extent), 1);
    if (const auto range = unless_far(0, most - 1)) variables_[s.var] = *range;
  } else if (s.kind == Stmt::Kind::Let && s.value.model() == Model::I64) {
    if (const std::optional<Range> range = of(s.value.node())) variables_[s.var] = *range;
    known_.clear();
  }
}

void IntRanges::forget(const Stmt& s) {
  variables_.erase(s.var);
  known_.clear();
}

std::optional<Range> IntRanges::of(const ExprNode* e) {
  if (e->model != Model::I64) return std::nullopt;
  if (e->op == ExprOp::Imm) {
    const int64_t n = static_cast<int64_t>(e->imm);
    return unless_far(n, n);
  }
  if (e->op == ExprOp::Var) return of_variable(e->id);
  if (const auto at = known_.find(e); at != known_.end()) return at->second;
  const std::optional<Range> found = compute(e);
  known_[e] = found;
  return found;
}

std::optional<Range> IntRanges::of_variable(int var) const {
  const auto at = variables_.find(var);
  return at == variables_.end() ? std::nullopt : std::optional(at->second);
}

std::optional<Range> IntRanges::compute(const ExprNode* e) {
  if (e->op == ExprOp::Load) return range_of(e->dtype);
  if (e->op == ExprOp::Convert)
    return e->child[0]->model == Model::Bool ? range_of(DType::Bool) : std::nullopt;
  if (e->op == ExprOp::Select) {
    const std::optional<Range> a = of(e->child[1]);
    const std::optional<Range> b = of(e->child[2]);
    if (!a || !b) return std::nullopt;
    return Range{std::min(a->lo, b->lo), std::max(a->hi, b->hi)};
  }
  if (e->op == ExprOp::Round) {
    const std::optional<Range> a = of(e->child[0]);
    const std::optional<Range> limits = range_of(e->dtype);
    return limits && a && a->within(limits->lo, limits->hi) ? a : limits;
  }
  if (!of_the_same_model(*e) || e->children > 2) return std::nullopt;
  const std::optional<Range> a = of(e->child[0]);
  const std::optional<Range> b = e->children == 2 ? of(e->child[1]) : Range{};
  return a && b ? range_of(e->op, *a, *b) : std::nullopt;
}

namespace {

// From a buffer's first element to its last; false past int64.
bool reach_of(const Buffer& b, const uint64_t* scalars, int64_t* out) {
  *out = 0;
  for (int d = 0; d < b.sizes.rank(); ++d) {
    const int64_t last = std::max<int64_t>(number_at_launch(b.sizes[d], scalars), 1) - 1;
    int64_t far = 0;
    if (__builtin_mul_overflow(last, number_at_launch(b.strides[d], scalars), &far) ||
        __builtin_add_overflow(*out, far, out))
      return false;
  }
  return true;
}

}  // namespace

std::string beyond_ranges(const Kernel& kernel, const uint64_t* scalars) {
  for (size_t i = 0; i < kernel.scalars.size(); ++i) {
    const ScalarParam& s = kernel.scalars[i];
    const auto n = static_cast<int64_t>(scalars[i]);
    if (s.least >= 0 && (n < s.least || n > s.most))
      return fmt::format("extent v{} is {}, not {} to {}", s.var, n, s.least, s.most);
  }
  if (kernel.reach == kUnlimited) return "";
  for (size_t i = 0; i < kernel.buffers.size(); ++i) {
    int64_t reach = 0;
    if (!reach_of(kernel.buffers[i], scalars, &reach) || reach >= kernel.reach)
      return fmt::format("b{} reaches {} elements or more", i, kernel.reach);
  }
  return "";
}

}  // namespace fusillade::kernel
