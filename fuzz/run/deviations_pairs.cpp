// Arithmetic of complex numbers, as pairs: what other formulas for it come to.
//
// A quotient, a power or a root of complex numbers is close to the true one relative to the length
// of the whole, not of each part: (a + bi) / (c + di) cancels in one formula and not in another.
// Where a part is infinite or NaN, or a product or square of parts leaves the range, formulas
// differ in what they give: C's Annex G is no promise of any library. Where pairs are moved or
// added, each part is what it is in real tensors.
#include "engine/base/table.h"
#include "engine/ir/complex_parts.h"
#include "fuzz/run/deviating_bounds.h"
#include "fuzz/run/shadow.h"

namespace fusillade::fuzz {
namespace {

double magnitude(const Bounded& b) { return std::max(std::fabs(b.lo), std::fabs(b.hi)); }

// Of the numbers that are not 0.
double least_square(Shadow& shadow, const Tensor& t) {
  const Cells& c = shadow.cells(t);
  double least = 1;
  for_each_element(t.sizes(), t.strides(), t.offset(), [&](int64_t at) {
    const double most = magnitude(c.real[static_cast<size_t>(at)]);
    if (most != 0) least = std::min(least, most * most);
  });
  return least;
}

// May a product of parts, or of their squares, leave the range in one formula and not in another?
bool leaves_range(const DeviatingCall& call, const Steps& steps, bool squares) {
  double product = 1;
  for (const IValue& v : call.args) {
    const IValue& of = v.tag() == IValue::Tag::List && !v.items().empty() ? v.items()[0] : v;
    if (!of.is_tensor() || !is_float(of.as_tensor().dtype())) continue;
    if (!call.shadow.all_finite(of)) return true;
    const double most = std::max(1.0, call.shadow.greatest_finite(of.as_tensor()));
    product *= squares ? most * most : most;
    if (squares && least_square(call.shadow, of.as_tensor()) < steps.smallest) return true;
  }
  return !call.op.schema.writes() && 2 * product > steps.largest;
}

// `ulp`: of a number's length, either way.
void allow(const DeviatingCall& call, bool squares, double ulp) {
  if (call.results.size() != 1 || !call.results[0].is_tensor()) return;
  const Tensor result = call.results[0].as_tensor();
  if (!is_float(result.dtype())) return;
  const Steps steps = steps_of(result.dtype());
  if (leaves_range(call, steps, squares)) return call.shadow.forget(result);
  std::vector<Bounded*> parts;
  for_each_bound(call, [&](Bounded& b, const Steps&, DType) { parts.push_back(&b); });
  const size_t of_one = gives_pairs(call.op) ? 2 : 1;
  for (size_t i = 0; i + of_one <= parts.size(); i += of_one) {
    const std::span<Bounded*> pair(&parts[i], of_one);
    const bool whole = std::ranges::all_of(pair, [](const Bounded* b) { return is_finite(*b); });
    double length = steps.tiniest;
    for (const Bounded* b : pair) length = std::max(length, magnitude(*b));
    for (Bounded* b : pair) {
      if (!whole) *b = Bounded::all();
      if (ulp > 0) widen(*b, ulp * steps.unit * length);
    }
  }
}

[[maybe_unused]] const bool kRegistered = [] {
  auto& table = Table<DeviationKind>::instance();
  table.add({"complex product", "", "if a product of parts overflows or is NaN, any value",
             [](const DeviatingCall& call, double) { allow(call, false, 0); }});
  table.add({"complex norm", "", "if a sum of squares of parts overflows, any value",
             [](const DeviatingCall& call, double) { allow(call, true, 0); }});
  table.add(
      {"complex length", "ulp",
       "ulp of the complex number's magnitude, not of each part; any value if a square overflows",
       [](const DeviatingCall& call, double ulp) { allow(call, true, ulp); }});
  return true;
}();

}  // namespace
}  // namespace fusillade::fuzz
