// Functions of numbers and products for which there are several usual formulas.
//
// 1 + erf(x) and 1 + 2 ** -d round a number greater than their result. linspace steps in another
// precision, and from either end. Polynomials of higher degrees are cosines between -1 and 1. A
// product of three matrices is taken from either end. A Fourier transform rounds in as many orders
// as there are factors of its length. Where a resize samples is off by some ulp of the place.
#include <algorithm>

#include "engine/base/table.h"
#include "fuzz/run/deviating_bounds.h"

namespace fusillade::fuzz {
namespace {

constexpr double kLargerTerms = 0x1p+12;  // how much larger than the result a term may be
constexpr double kRecurrence = 6;         // the highest degree that all take by recurrence
constexpr double kWeights = 8;            // ulp of a half, of a number and its rounded weights

void widen_by_ulps_of_one(const DeviatingCall& call, double ulps) {
  for_each_finite(call,
                  [&](Bounded& b, const Steps& steps, DType) { widen(b, ulps * steps.unit); });
}

void flush_subnormals(const DeviatingCall& call, double) {
  for_each_finite(call,
                  [](Bounded& b, const Steps& steps, DType) { or_zero_below(b, steps.smallest); });
}

void forget_infinite(const DeviatingCall& call, double) {
  for_each_bound(call, [](Bounded& b, const Steps&, DType) {
    if (!is_finite(b)) b = Bounded::all();
  });
}

void widen_terms(const DeviatingCall& call, double ulps) {
  forget_infinite(call, 0);
  for_each_finite(call, [&](Bounded& b, const Steps& steps, DType) {
    const double most = kLargerTerms * std::max(std::fabs(b.lo), std::fabs(b.hi));
    if (most > steps.largest) b = Bounded::all();
    else widen(b, ulps * steps.unit * std::max(1.0, std::fabs(b.hi)));
  });
}

void widen_exponent(const DeviatingCall& call, double ulps) {
  for_each_finite(call, [&](Bounded& b, const Steps& steps, DType) {
    const double worth = 1 + std::fabs(std::log(std::fabs(b.hi) + 1e-300));
    widen(b, ulps * worth * steps.unit * std::fabs(b.hi));
  });
}

// One unit of double or float, whatever the result is stored as.
double unit_of(const Steps& steps) { return steps.unit < 0x1p-50 ? 0x1p-53 : 0x1p-24; }

void widen_steps(const DeviatingCall& call, double ulps) {
  if (!is_float(call.results[0].as_tensor().dtype())) return call.shadow.forget(call.results[0]);
  const double most =
      std::max(std::fabs(call.args[0].as_double()), std::fabs(call.args[1].as_double()));
  for_each_finite(
      call, [&](Bounded& b, const Steps& steps, DType) { widen(b, ulps * most * unit_of(steps)); });
}

void widen_transform(const DeviatingCall& call, double ulps) {
  if (!call.args[0].is_tensor()) return;
  const auto forget = [&] { call.shadow.forget(call.results[0]); };
  double sum = call.shadow.sum_of_magnitudes(call.args[0].as_tensor());
  for (const IValue& window : call.args.subspan(1)) {  // of short-time transforms
    if (!window.is_tensor()) continue;
    if (!call.shadow.all_finite(window)) return forget();
    sum *= std::max(1.0, call.shadow.greatest_finite(window.as_tensor()));
  }
  const bool far = 2 * sum > steps_of(call.results[0].as_tensor().dtype()).largest;
  if (far || !call.shadow.all_finite(call.args[0])) return forget();
  for_each_finite(
      call, [&](Bounded& b, const Steps& steps, DType) { widen(b, ulps * sum * unit_of(steps)); });
}

// But for a grid of the nearest elements: mode 1.
void widen_samples(const DeviatingCall& call, double ulps) {
  if (call.op.schema.args[2].name == "interpolation_mode" && call.args[2].as_int() == 1) return;
  const Tensor input = call.args[0].as_tensor();
  const auto forget = [&] { call.shadow.forget(call.results[0]); };
  if (!is_float(input.dtype()) || !call.shadow.all_finite(call.args[0])) return forget();
  forget_infinite(call, 0);
  const double largest = call.shadow.greatest_finite(input);
  if (2 * largest > steps_of(input.dtype()).largest) return forget();
  int64_t longest = 1;
  for (int d = 2; d < input.rank(); ++d) longest = std::max(longest, input.sizes()[d]);
  const double most = largest * ulps * static_cast<double>(longest);
  for_each_finite(call, [&](Bounded& b, const Steps& steps, DType dtype) {
    widen(b, most * unit_of(steps));
    if (half_steps(dtype)) widen(b, kWeights * largest * steps.unit);
  });
}

void forget_cosines(const DeviatingCall& call, double) {
  const IValue& degrees = call.args[1];
  const Tensor result = call.results[0].as_tensor();
  Cells& c = call.shadow.cells(result);
  if (c.real.empty() || !degrees.is_tensor()) return;  // with a number for it, the operator within
  const Tensor wide = to_dtype(degrees.as_tensor(), DType::F64);
  const Dims strides = broadcast_strides(wide.sizes(), wide.strides(), result.sizes());
  std::vector<double> degree;
  for_each_element(result.sizes(), strides, 0,
                   [&](int64_t at) { degree.push_back(wide.data<double>()[at]); });
  size_t i = 0;
  for_each_element(result.sizes(), result.strides(), result.offset(), [&](int64_t at) {
    if (degree[i++] > kRecurrence) c.real[static_cast<size_t>(at)] = Bounded::all();
  });
}

// Where two of the factors meet first, their product is off by half the least number more if it
// underflows, which the third multiplies, and infinite if it overflows.
void allow_orders(const DeviatingCall& call, double) {
  const std::span<const IValue> args = call.args;
  const Tensor result = call.results[0].as_tensor();
  const double alpha = std::fabs(args[4].as_double());
  if (alpha == 1 || !is_float(result.dtype())) return;
  const double left = call.shadow.greatest_finite(args[1].as_tensor());
  const double right = call.shadow.greatest_finite(args[2].as_tensor());
  const Steps steps = steps_of(result.dtype());
  if (std::max({left * right, alpha * left, alpha * right}) > steps.largest)
    return call.shadow.forget(result);
  const double most = std::max({alpha, left, right});
  Cells& c = call.shadow.cells(result);
  for_each_element(result.sizes(), result.strides(), result.offset(), [&](int64_t at) {
    Bounded& b = c.real[static_cast<size_t>(at)];
    if (is_finite(b)) widen(b, most * steps.tiniest);
  });
}

void forget_chain(const DeviatingCall& call, double) {
  if (call.args[0].items().size() > 2) call.shadow.forget(call.results[0]);
}

void forget_second(const DeviatingCall& call, double) { call.shadow.forget(call.results[1]); }

void store_products(const DeviatingCall& call, double) {
  call.shadow.allow_products_in_steps(call.args, call.results[0].as_tensor());
}

void forget_unordered(const DeviatingCall& call, double) {
  if (!call.shadow.in_order(call.args[0].as_tensor(), call.args.back()))
    call.shadow.forget(call.results[0]);
}

// An operand less the logarithm of a sum of at most as many terms as there are elements, each at
// most 1: the logarithm and the difference are rounded to 16 bits where steps are.
void store_logarithm(const DeviatingCall& call, double) {
  const double most = std::log(std::max<double>(2, call.args[0].as_tensor().numel()));
  for_each_finite(call, [&](Bounded& b, const Steps& steps, DType dtype) {
    if (half_steps(dtype))
      widen(b, steps.unit * (most + std::max(std::fabs(b.lo), std::fabs(b.hi))));
  });
}

// Levels go through integers of 64 bits; what these do not hold, NaN too, becomes one of the ends.
void allow_levels(const DeviatingCall& call, double) {
  const Tensor result = call.results[0].as_tensor();
  const bool is_double = result.dtype() == DType::F64;
  const double scale = call.args[1].as_double();
  const auto end = [&](size_t i) {
    return static_cast<double>(call.args[i].as_int() - call.args[2].as_int()) * scale;
  };
  const auto [low, high] = std::minmax({end(3), end(4)});
  const Tensor wide = to_dtype(call.args[0].as_tensor(), DType::F64);
  std::vector<double> given;
  for_each_element(wide.sizes(), wide.strides(), wide.offset(),
                   [&](int64_t at) { given.push_back(wide.data<double>()[at]); });
  const double unit = is_double ? 0x1p-24 : unit_of(steps_of(result.dtype()));
  Cells& c = call.shadow.cells(result);
  size_t i = 0;
  for_each_element(result.sizes(), result.strides(), result.offset(), [&](int64_t at) {
    Bounded& b = c.real[static_cast<size_t>(at)];
    const bool in_range = std::fabs(given[i++] / scale) < 0x1p62;
    if (!in_range) {
      b.lo = std::min(b.lo, low);
      b.hi = std::max(b.hi, high);
      b.zero_sign_known = false;
    }
    if ((is_double || !in_range) && is_finite(b))
      widen(b, std::max(std::fabs(b.lo), std::fabs(b.hi)) * unit);
  });
}

[[maybe_unused]] const bool kRegistered = [] {
  auto& table = Table<DeviationKind>::instance();
  table.add({"near one", "ulp", "a term near 1, larger than the result, is rounded: ulp of 1",
             &widen_by_ulps_of_one});
  table.add({"subnormals flushed", "", "subnormal results may be 0", &flush_subnormals});
  table.add({"not finite", "",
             "a weight of 0, padding, or a folded mean may meet an infinity: infinite and NaN "
             "results may be anything",
             &forget_infinite});
  table.add({"terms", "ulp",
             "a recurrence or series in the operand's precision: ulp of the larger of the result "
             "and 1; any value if a term may overflow",
             &widen_terms});
  table.add({"exponent", "ulp", "a power whose exponent is off by some ulp", &widen_exponent});
  table.add({"steps", "ulp",
             "values are computed from either end, in float or double: ulp of the larger end; "
             "integers may differ",
             &widen_steps});
  table.add({"transform", "ulp",
             "a sum of all elements in any order of factors: ulp of the sum of magnitudes",
             &widen_transform});
  table.add({"samples", "ulp",
             "the sampled position is off by some ulp, and weights of halves are rounded",
             &widen_samples});
  table.add({"cosines", "", "by cosines above degree 6, between -1 and 1", &forget_cosines});
  table.add({"order of factors", "", "three factors are multiplied in any order", &allow_orders});
  table.add(
      {"any association", "", "a chain of products is computed from either end", &forget_chain});
  table.add(
      {"any of equals", "", "the index may be of any of several equal values", &forget_second});
  table.add({"products stored", "", "a cumulative product is rounded when it is stored",
             &store_products});
  table.add(
      {"unordered", "", "searches differ in a sequence that is not sorted", &forget_unordered});
  table.add({"logarithm stored", "",
             "in 16 bits the subtracted logarithm may be rounded, as each step may",
             &store_logarithm});
  table.add({"levels", "",
             "a level that 64 bits do not hold is either end; doubles are scaled in float",
             &allow_levels});
  table.add({"series", "", "an expansion with other coefficients, which cancel"});
  table.add(
      {"double rounded", "",
       "computed in its own precision, where the built-in engine computes in double and rounds"});
  table.add(
      {"any count", "", "a shift by a negative count, or by the width or more, may give anything"});
  table.add({"ends shrunk", "",
             "NaN and the sign of 0 differ if a comparison is written the other way round"});
  table.add(
      {"given exponent", "", "the exponent is rounded to the dtype or not; powers may be roots"});
  table.add({"unset", "", "uninitialised memory"});
  return true;
}();

}  // namespace
}  // namespace fusillade::fuzz
