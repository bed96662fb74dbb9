// Rows in the language: orthogonal polynomials of torch.special, by their recurrences.
//
// Each is p(k+1) = (a x + b) p(k) - c p(k-1); the four kinds of Chebyshev differ in p(1) alone, and
// the shifted ones are those of 2 x - 1. Degrees are whole parts; below 0 the polynomial is 0,
// above 1000 it is an error. They compute in doubles and round once.
#include <string>

#include "engine/ops/composite.h"

namespace fusillade {
namespace {

constexpr std::string_view kSteps = R"py(
prim::polynomial_degree(Tensor x, Tensor n) -> Tensor
    return n.to(torch.float64).trunc() + torch.zeros_like(x, dtype=torch.float64)

prim::polynomial_top(Tensor degree) -> int
    finite = torch.where(torch.isfinite(degree), degree, torch.zeros_like(degree))
    top = float(finite.max().item()) if degree.numel() > 0 else 0.0
    if top > 1000.0:
        raise RuntimeError("polynomials take degrees up to 1000")
    return int(top)

prim::chebyshev_from(Tensor x, Tensor degree, Tensor first) -> Tensor
    before, now = torch.ones_like(x), first
    out = torch.where(degree == 0, before, torch.where(degree == 1, now, torch.zeros_like(x)))
    for k in range(2, torch.ops.prim.polynomial_top(degree) + 1):
        before, now = now, 2 * x * now - before
        out = torch.where(degree == k, now, out)
    return out

prim::hermite_from(Tensor x, Tensor degree, float scale) -> Tensor
    before, now = torch.ones_like(x), x * scale
    out = torch.where(degree == 0, before, torch.where(degree == 1, now, torch.zeros_like(x)))
    for k in range(2, torch.ops.prim.polynomial_top(degree) + 1):
        before, now = now, (x * now - (k - 1) * before) * scale
        out = torch.where(degree == k, now, out)
    return out

prim::legendre_from(Tensor x, Tensor degree) -> Tensor
    before, now = torch.ones_like(x), x
    out = torch.where(degree == 0, before, torch.where(degree == 1, now, torch.zeros_like(x)))
    for k in range(2, torch.ops.prim.polynomial_top(degree) + 1):
        before, now = now, ((2 * k - 1) * x * now - (k - 1) * before) / k
        out = torch.where(degree == k, now, out)
    return out

prim::laguerre_from(Tensor x, Tensor degree) -> Tensor
    before, now = torch.ones_like(x), 1 - x
    out = torch.where(degree == 0, before, torch.where(degree == 1, now, torch.zeros_like(x)))
    for k in range(2, torch.ops.prim.polynomial_top(degree) + 1):
        before, now = now, ((2 * k - 1 - x) * now - (k - 1) * before) / k
        out = torch.where(degree == k, now, out)
    return out
)py";

struct Polynomial {
  const char* name;
  const char* value;  // of z in doubles and degree d
};
constexpr Polynomial kPolynomials[] = {
    {"chebyshev_polynomial_t", "torch.ops.prim.chebyshev_from(z, d, z)"},
    {"chebyshev_polynomial_u", "torch.ops.prim.chebyshev_from(z, d, 2 * z)"},
    {"chebyshev_polynomial_v", "torch.ops.prim.chebyshev_from(z, d, 2 * z - 1)"},
    {"chebyshev_polynomial_w", "torch.ops.prim.chebyshev_from(z, d, 2 * z + 1)"},
    {"shifted_chebyshev_polynomial_t", "torch.ops.prim.chebyshev_from(2 * z - 1, d, 2 * z - 1)"},
    {"shifted_chebyshev_polynomial_u", "torch.ops.prim.chebyshev_from(2 * z - 1, d, 4 * z - 2)"},
    {"shifted_chebyshev_polynomial_v", "torch.ops.prim.chebyshev_from(2 * z - 1, d, 4 * z - 3)"},
    {"shifted_chebyshev_polynomial_w", "torch.ops.prim.chebyshev_from(2 * z - 1, d, 4 * z - 1)"},
    {"hermite_polynomial_h", "torch.ops.prim.hermite_from(z, d, 2.0)"},
    {"hermite_polynomial_he", "torch.ops.prim.hermite_from(z, d, 1.0)"},
    {"laguerre_polynomial_l", "torch.ops.prim.laguerre_from(z, d)"},
    {"legendre_polynomial_p", "torch.ops.prim.legendre_from(z, d)"},
};

// The three rows of one polynomial: of two tensors, and with a number for either.
std::string rows_of(const Polynomial& p) {
  return fmt::format(R"py(
aten::special_{0}(Tensor x, Tensor n) -> Tensor
    d = torch.ops.prim.polynomial_degree(x, n)
    z = x.to(torch.float64) + torch.zeros_like(d)
    return torch.ops.prim.of_double(x + n, {1})

aten::special_{0}.x_scalar(Scalar x, Tensor n) -> Tensor
    return torch.ops.aten.special_{0}(torch.full([], float(x), dtype=torch.ops.prim.floating(n).dtype), n)

aten::special_{0}.n_scalar(Tensor x, Scalar n) -> Tensor
    return torch.ops.aten.special_{0}(x, torch.full([], float(n), dtype=torch.ops.prim.floating(x).dtype))
)py",
                     p.name, p.value);
}

[[maybe_unused]] const bool kRegistered = [] {
  add_scripted(kSteps, "scripted_polynomial");
  for (const Polynomial& p : kPolynomials) add_scripted(rows_of(p), "scripted_polynomial");
  return true;
}();

}  // namespace
}  // namespace fusillade
