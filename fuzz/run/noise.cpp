// See noise.h.
#include "fuzz/run/noise.h"

#include <cmath>

#include "engine/tensor/random.h"

namespace fusillade::fuzz {

double Noise::draw() { return 2 * random_unit(sample_ + 0x6e6f69, at_++) - 1; }

void Jitter::call(const Operator& op, const Site& site, std::span<const IValue> args,
                  std::vector<IValue>& results) {
  const size_t first = results.size();
  fusillade::call(op, site, args, results);
  for (size_t i = first; i < results.size(); ++i) {
    if (!results[i].is_tensor()) continue;
    const Tensor t = results[i].as_tensor();
    if (!t.is_defined() || t.dtype() != DType::F64) continue;
    bool own = true;  // no view of, nor the same as, an argument
    for (const IValue& v : args)
      own =
          own && !(v.is_tensor() && v.as_tensor().is_defined() && v.as_tensor().shares_storage(t));
    for (int64_t e = 0; own && e < t.numel(); ++e)
      set_element(t, e, noise_.perturb(element_as_double(t, e)));
  }
}

bool is_significant(std::span<const double> samples, Against against) {
  FUS_CHECK(samples.size() == kSamples, "{} samples", samples.size());
  double mean = 0, squares = 0;
  for (double v : samples) mean += v / kSamples;
  for (double v : samples) squares += (v - mean) * (v - mean);
  const double of_mean = 1.0 / kSamples + (against == Against::OneDraw ? 1 : 0);
  return std::abs(mean) > kStudent * std::sqrt(squares / (kSamples - 1) * of_mean);
}

}  // namespace fusillade::fuzz
