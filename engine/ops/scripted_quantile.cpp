// Rows in the language that invert the normal distribution: erfinv, special_ndtri. In doubles,
// rounded once.
#include "engine/ops/composite.h"
#include "engine/ops/quantile.h"

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

std::string text() {
  return fmt::format(R"py(
prim::quantile_near(Tensor q) -> Tensor
    r = {0} - q * q
    return q * {1}

prim::quantile_tail(Tensor share) -> Tensor
    r = torch.sqrt(-torch.log(share))
    m = r - {2}
    f = r - {3}
    found = torch.where(r <= {3}, {4}, {5})
    return torch.where(share == 0, torch.full_like(share, float("inf")), found)

aten::erfinv(Tensor self) -> Tensor  # twin
    x = self.to(torch.float64)
    q = x * 0.5
    far = torch.copysign(torch.ops.prim.quantile_tail(0.5 - q.abs()), x)
    far = torch.where(q.abs() <= 0.5, far, torch.full_like(x, float("nan")))
    found = torch.where(q.abs() <= {6}, torch.ops.prim.quantile_near(q), far)
    return torch.ops.prim.of_double(self, found * 0.7071067811865476)

aten::special_ndtri(Tensor self) -> Tensor
    p = self.to(torch.float64)
    q = p - 0.5
    low = torch.minimum(p, 1 - p)
    far = torch.copysign(torch.ops.prim.quantile_tail(low), q)
    far = torch.where(low >= 0, far, torch.full_like(p, float("nan")))
    return torch.ops.prim.of_double(self, torch.where(q.abs() <= {6}, torch.ops.prim.quantile_near(q), far))
)py",
                     quantile::kNearOffset, quotient(quantile::kNear, "r"), quantile::kMiddleOffset,
                     quantile::kFarOffset, quotient(quantile::kMiddle, "m"),
                     quotient(quantile::kFar, "f"), quantile::kSplit);
}

[[maybe_unused]] const bool kRegistered = [] {
  add_scripted(text(), "scripted_quantile");
  return true;
}();

}  // namespace
}  // namespace fusillade
