// Rows in the language that invert the normal distribution: erfinv, special_ndtri. In doubles,
// rounded once.
#include "engine/aten/special/quantile.h"
#include "engine/ops/composite.h"

namespace fusillade {
namespace {

std::string horner(const double (&c)[8], std::string_view x) {
  std::string text = fmt::format("{:.17e}", c[7]);
  for (int i = 6; i >= 0; --i) text = fmt::format("({} * {} + {:.17e})", text, x, c[i]);
  return text;
}

std::string quotient(const quantile::Quotient& q, std::string_view x) {
  return fmt::format("{} / {}", horner(q.top, x), horner(q.bottom, x));
}

// Lines that make `found`, the quantile, of q, and of its tail's share (p or 1 - p).
std::string lines() {
  return fmt::format(R"py(    c = {0} - q * q
    r = torch.sqrt(-torch.log(share))
    m = r - {1}
    f = r - {2}
    far = torch.where(r <= {2}, {3}, {4})
    far = torch.where(share == 0, torch.full_like(share, float("inf")), far)
    far = torch.where(share >= 0, torch.copysign(far, q), torch.full_like(share, float("nan")))
    found = torch.where(q.abs() <= {5}, q * {6}, far))py",
                     quantile::kNearOffset, quantile::kMiddleOffset, quantile::kFarOffset,
                     quotient(quantile::kMiddle, "m"), quotient(quantile::kFar, "f"),
                     quantile::kSplit, quotient(quantile::kNear, "c"));
}

std::string text() {
  return fmt::format(R"py(
aten::erfinv(Tensor self) -> Tensor  # twin
    q = self.to(torch.float64) * 0.5
    share = 0.5 - q.abs()
{0}
    return torch.ops.prim.of_double(self, found * 0.7071067811865476)

aten::special_ndtri(Tensor self) -> Tensor
    p = self.to(torch.float64)
    q = p - 0.5
    share = torch.minimum(p, 1 - p)
{0}
    return torch.ops.prim.of_double(self, found)
)py",
                     lines());
}

[[maybe_unused]] const bool kRegistered = [] {
  add_scripted(text(), "scripted_quantile");
  return true;
}();

}  // namespace
}  // namespace fusillade
