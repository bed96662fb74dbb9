// Arithmetic of complex numbers, as pairs: what other formulas for it come to.
//
// A quotient, a power or a root of complex numbers is near the true one by the length of the whole,
// not by each part: (a + bi) / (c + di) cancels in one formula and not in another. Where a part is
// infinite or NaN, or a product or square of parts leaves the range, formulas differ in what they
// give: C's Annex G is no promise of any library. Where pairs are moved or added, each part is what
// it is in real tensors. (law: rules name ops)
#include <cmath>
#include <set>
#include <string_view>

#include "engine/ir/complex_parts.h"
#include "engine/tensor/iterate.h"
#include "fuzz/gen/pairs.h"
#include "fuzz/run/cell.h"

namespace fusillade::fuzz {
namespace {

constexpr double kOfLength = 16;  // ulp of a number's length, either way

// By the names of operators, without the _ of those in place.
const std::set<std::string_view> kProducts{
    "add", "sub",  "rsub",  "mul",    "square", "matmul",  "mm",    "bmm",     "mv",
    "dot", "vdot", "outer", "linear", "einsum", "dropout", "addmm", "baddbmm", "addcmul"};
const std::set<std::string_view> kByLength{
    "div",  "reciprocal", "exp",  "log", "log2", "log10", "sqrt",  "rsqrt", "sin",  "cos",
    "sinh", "cosh",       "tanh", "tan", "sgn",  "pow",   "polar", "mean",  "prod", "sigmoid"};

// Real numbers of them.
const std::set<std::string_view> kNorms{"abs", "norm", "frobenius_norm", "linalg_vector_norm",
                                        "linalg_norm"};

std::string_view operator_of(const Row& row) {
  std::string_view name = row.schema.name;
  name.remove_prefix(kOfPairs.size());
  if (name.ends_with('_')) name.remove_suffix(1);
  return name;
}

double magnitude(const Bounded& b) { return std::max(std::fabs(b.lo), std::fabs(b.hi)); }

}  // namespace

// Of the numbers that are not 0.
double Shadow::least_square(const Tensor& t) {
  const Cells& c = cells(t);
  double least = 1;
  for_each_element(t.sizes(), t.strides(), t.offset(), [&](int64_t at) {
    const double most = magnitude(c.real[static_cast<size_t>(at)]);
    if (most != 0) least = std::min(least, most * most);
  });
  return least;
}

void Shadow::allow_pairs(const Row& row, std::span<const IValue> args,
                         const std::vector<IValue>& results) {
  if (!of_pairs(row) || results.size() != 1 || !results[0].is_tensor()) return;
  const std::string_view name = operator_of(row);
  const bool by_length = kByLength.contains(name);
  const Tensor result = results[0].as_tensor();
  if (!(by_length || kNorms.contains(name) || kProducts.contains(name)) ||
      !is_float(result.dtype()))
    return;
  const Steps steps = steps_of(result.dtype());
  const bool squares = by_length || kNorms.contains(name);
  double product = 1;
  for (const IValue& v : args) {
    const IValue& of = v.tag() == IValue::Tag::List && !v.items().empty() ? v.items()[0] : v;
    if (!of.is_tensor() || !is_float(of.as_tensor().dtype())) continue;
    if (!all_finite(of)) return forget(result);
    const double most = std::max(1.0, greatest_finite(of.as_tensor()));
    product *= squares ? most * most : most;
    if (squares && least_square(of.as_tensor()) < steps.smallest) return forget(result);
  }
  if (!row.schema.writes() && 2 * product > steps.largest) return forget(result);
  Cells& c = cells(result);
  std::vector<Bounded*> parts;
  for_each_element(result.sizes(), result.strides(), result.offset(),
                   [&](int64_t at) { parts.push_back(&c.real[static_cast<size_t>(at)]); });
  const size_t of_one = gives_pairs(row) ? 2 : 1;
  for (size_t i = 0; i + of_one <= parts.size(); i += of_one) {
    const std::span<Bounded*> pair(&parts[i], of_one);
    const bool whole = std::ranges::all_of(pair, [](const Bounded* b) { return is_finite(*b); });
    double length = steps.tiniest;
    for (const Bounded* b : pair) length = std::max(length, magnitude(*b));
    const double slack = by_length ? kOfLength * steps.unit * length : 0;
    for (Bounded* b : pair) {
      if (!whole) *b = Bounded::all();
      b->lo -= slack;
      b->hi += slack;
    }
  }
}

}  // namespace fusillade::fuzz
