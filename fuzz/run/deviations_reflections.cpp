// Products of reflections, 1 - tau * v * transpose(v): how large their terms may be.
//
// A reflection makes a vector at most 1 + |tau| * |v|^2 times as long, and what is drawn for tau is
// seldom the 2 / |v|^2 that keeps lengths. Ours multiplies in double; where the product of those
// factors, times the matrix that is reflected, is more than the dtype holds, a product in that
// dtype may overflow between its steps, or meet infinity times 0.
#include "engine/base/table.h"
#include "fuzz/run/deviating_bounds.h"

namespace fusillade::fuzz {
namespace {

double largest_of(const std::vector<double>& values) {
  double most = 0;
  for (double v : values) most = std::isnan(v) ? INFINITY : std::max(most, std::fabs(v));
  return most;
}

bool in_range(Shadow& shadow, std::span<const IValue> args) {
  const auto middles = [&](const Tensor& t) { return shadow.middles(t); };
  const Tensor matrix = args[0].as_tensor();
  const std::vector<double> v = middles(matrix), tau = middles(args[1].as_tensor());
  const int64_t rows = matrix.sizes()[matrix.rank() - 2], columns = matrix.sizes().back();
  const int64_t count = args[1].as_tensor().sizes().back();
  double factor = 0;
  for (int64_t batch = 0; batch * count < static_cast<int64_t>(tau.size()); ++batch) {
    double own = static_cast<double>(rows);
    for (int64_t i = 0; i < count; ++i) {
      double length = 1;
      for (int64_t r = i + 1; r < rows; ++r)
        length += std::pow(v[static_cast<size_t>((batch * rows + r) * columns + i)], 2);
      own *= 1 + std::fabs(tau[static_cast<size_t>(batch * count + i)]) * length;
    }
    factor = own > factor || std::isnan(own) ? own : factor;
    if (std::isnan(factor)) return false;
  }
  if (args.size() > 2 && args[2].is_tensor()) factor *= largest_of(middles(args[2].as_tensor()));
  return factor <= steps_of(matrix.dtype()).largest;
}

void forget_beyond(const DeviatingCall& call, double) {
  if (!in_range(call.shadow, call.args)) call.shadow.forget(call.results[0]);
}

[[maybe_unused]] const auto& kRegistered = Table<DeviationKind>::instance().add(
    {"reflections", "", "products of reflections may overflow between their steps",
     &forget_beyond});

}  // namespace
}  // namespace fusillade::fuzz
