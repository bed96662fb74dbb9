// How large what the shadow knows of a tensor is, for those who widen bounds by it.
#include "fuzz/run/deviating_bounds.h"

namespace fusillade::fuzz {

bool Shadow::all_finite(const IValue& v) {
  const Tensor t = v.as_tensor();
  const Cells& c = cells(t);
  if (c.real.empty()) return true;
  bool all = true;
  for_each_element(t.sizes(), t.strides(), t.offset(),
                   [&](int64_t at) { all = all && is_finite(c.real[static_cast<size_t>(at)]); });
  return all;
}

double Shadow::greatest_finite(const Tensor& t) {
  const Cells& c = cells(t);
  double most = 0;
  for_each_element(t.sizes(), t.strides(), t.offset(), [&](int64_t at) {
    const size_t i = static_cast<size_t>(at);
    const Bounded b = c.real.empty() ? as_bounded(c.whole[i]) : c.real[i];
    if (is_finite(b)) most = std::max({most, std::fabs(b.lo), std::fabs(b.hi)});
  });
  return most;
}

double Shadow::sum_of_magnitudes(const Tensor& t) {
  const Cells& c = cells(t);
  double sum = 0;
  for_each_element(t.sizes(), t.strides(), t.offset(), [&](int64_t at) {
    if (c.real.empty()) sum += std::fabs(static_cast<double>(c.whole[static_cast<size_t>(at)].hi));
    else sum += std::fabs(c.real[static_cast<size_t>(at)].hi);
  });
  return sum;
}

std::vector<double> Shadow::middles(const Tensor& t) {
  const Cells& c = cells(t);
  std::vector<double> out;
  for_each_element(t.sizes(), t.strides(), t.offset(), [&](int64_t at) {
    const Bounded& b = c.real[static_cast<size_t>(at)];
    out.push_back(b.must_nan ? NAN : b.lo / 2 + b.hi / 2);
  });
  return out;
}

}  // namespace fusillade::fuzz
