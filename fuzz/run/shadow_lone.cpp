// Norms over lines of one element: the magnitude, or what its powers come to.
//
//   norm([3.0], p=0.001)    ->  3.0, or (3.0 ** 0.001) ** 1000 = 3.0003
//   norm([1e30], p=2)       ->  1e30, or sqrt(1e60) = inf
//
// PyTorch 2.13 looks whether a line has one element, but not of tensors without dimensions; 1.13.1
// does not look. Ours looks where the order is neither 0, 2 nor infinite. (law: rules name ops)
#include <cmath>

#include "engine/tensor/iterate.h"
#include "fuzz/run/cell.h"

namespace fusillade::fuzz {
namespace {

// (x ** p) ** (1 / p), where p and 1 / p may be rounded or not.
Bounded by_powers(const Bounded& x, double p) {
  const Bounded one = Bounded::exact(1);
  const Bounded power = select(Tri::Unsure, Bounded::exact(p), Bounded(p));
  return pow(pow(x, power), one / power);
}

}  // namespace

void Shadow::allow_powers(std::span<const IValue> args, const Tensor& result) {
  const Tensor self = args[0].as_tensor();
  const double p = args[1].is_none() ? 2 : args[1].as_double();
  if (self.numel() != result.numel() || p == 0 || p == 1 || !std::isfinite(p)) return;
  Precision precision(compute_of(self.dtype()));
  const Cells& from = cells(self);
  std::vector<Bounded> lone;
  for_each_element(self.sizes(), self.strides(), self.offset(),
                   [&](int64_t at) { lone.push_back(abs(from.real[static_cast<size_t>(at)])); });
  Cells& to = cells(result);
  size_t i = 0;
  for_each_element(result.sizes(), result.strides(), result.offset(), [&](int64_t at) {
    Bounded& b = to.real[static_cast<size_t>(at)];
    const Bounded& x = lone[i++];
    if (b.must_nan || (x.lo == 0 && x.hi == 0)) return;
    b = select(Tri::Unsure, b, select(Tri::Unsure, x, by_powers(x, p)));
  });
}

}  // namespace fusillade::fuzz
