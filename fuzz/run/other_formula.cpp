// See other_formula.h.
#include "fuzz/run/other_formula.h"

#include <string>

namespace fusillade::fuzz {
namespace {

// The documented one, start + weight * (end - start), for every weight; PyTorch takes the end
// nearer to the weight. Infinities, and numbers that cancel, tell them apart.
Bounded lerp(const Bounded* x) { return x[0] + x[2] * (x[1] - x[0]); }

// exp(x / alpha) for exp(x * (1 / alpha)): the exponent's last bit is worth |x / alpha| ulp.
Bounded celu(const Bounded* x) {
  return select(x[0] <= Bounded(0.0), expm1(x[0] / x[1]) * x[1], x[0]);
}

}  // namespace

OtherFormula other_formula(const Row& row) {
  const std::string& name = row.schema.name;
  if (name.starts_with("aten::lerp")) return &lerp;
  if (name.starts_with("aten::celu")) return &celu;
  return nullptr;
}

}  // namespace fusillade::fuzz
