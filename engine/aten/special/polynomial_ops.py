# Orthogonal polynomials of torch.special, by their recurrences.
#
# Each is p(k+1) = (a x + b) p(k) - c p(k-1); the four kinds of Chebyshev differ in p(1) alone, and
# the shifted ones are those of 2 x - 1. Degrees are whole parts; below 0 the polynomial is 0,
# above 1000 it is an error. They compute in doubles and round once.

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
    others cosines

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

aten::special_chebyshev_polynomial_t(Tensor x, Tensor n) -> Tensor
    d = torch.ops.prim.polynomial_degree(x, n)
    z = x.to(torch.float64) + torch.zeros_like(d)
    return torch.ops.prim.of_double(x + n, torch.ops.prim.chebyshev_from(z, d, z))
    others cosines; terms 32 ulp

aten::special_chebyshev_polynomial_t.x_scalar(Scalar x, Tensor n) -> Tensor
    return torch.ops.aten.special_chebyshev_polynomial_t(
        torch.full([], float(x), dtype=torch.ops.prim.floating(n).dtype), n
    )
    others cosines; terms 32 ulp

aten::special_chebyshev_polynomial_t.n_scalar(Tensor x, Scalar n) -> Tensor
    return torch.ops.aten.special_chebyshev_polynomial_t(
        x, torch.full([], float(n), dtype=torch.ops.prim.floating(x).dtype)
    )
    others cosines; terms 32 ulp

aten::special_chebyshev_polynomial_u(Tensor x, Tensor n) -> Tensor
    d = torch.ops.prim.polynomial_degree(x, n)
    z = x.to(torch.float64) + torch.zeros_like(d)
    return torch.ops.prim.of_double(x + n, torch.ops.prim.chebyshev_from(z, d, 2 * z))
    others cosines; terms 32 ulp

aten::special_chebyshev_polynomial_u.x_scalar(Scalar x, Tensor n) -> Tensor
    return torch.ops.aten.special_chebyshev_polynomial_u(
        torch.full([], float(x), dtype=torch.ops.prim.floating(n).dtype), n
    )
    others cosines; terms 32 ulp

aten::special_chebyshev_polynomial_u.n_scalar(Tensor x, Scalar n) -> Tensor
    return torch.ops.aten.special_chebyshev_polynomial_u(
        x, torch.full([], float(n), dtype=torch.ops.prim.floating(x).dtype)
    )
    others cosines; terms 32 ulp

aten::special_chebyshev_polynomial_v(Tensor x, Tensor n) -> Tensor
    d = torch.ops.prim.polynomial_degree(x, n)
    z = x.to(torch.float64) + torch.zeros_like(d)
    return torch.ops.prim.of_double(x + n, torch.ops.prim.chebyshev_from(z, d, 2 * z - 1))
    others cosines; terms 32 ulp

aten::special_chebyshev_polynomial_v.x_scalar(Scalar x, Tensor n) -> Tensor
    return torch.ops.aten.special_chebyshev_polynomial_v(
        torch.full([], float(x), dtype=torch.ops.prim.floating(n).dtype), n
    )
    others cosines; terms 32 ulp

aten::special_chebyshev_polynomial_v.n_scalar(Tensor x, Scalar n) -> Tensor
    return torch.ops.aten.special_chebyshev_polynomial_v(
        x, torch.full([], float(n), dtype=torch.ops.prim.floating(x).dtype)
    )
    others cosines; terms 32 ulp

aten::special_chebyshev_polynomial_w(Tensor x, Tensor n) -> Tensor
    d = torch.ops.prim.polynomial_degree(x, n)
    z = x.to(torch.float64) + torch.zeros_like(d)
    return torch.ops.prim.of_double(x + n, torch.ops.prim.chebyshev_from(z, d, 2 * z + 1))
    others cosines; terms 32 ulp

aten::special_chebyshev_polynomial_w.x_scalar(Scalar x, Tensor n) -> Tensor
    return torch.ops.aten.special_chebyshev_polynomial_w(
        torch.full([], float(x), dtype=torch.ops.prim.floating(n).dtype), n
    )
    others cosines; terms 32 ulp

aten::special_chebyshev_polynomial_w.n_scalar(Tensor x, Scalar n) -> Tensor
    return torch.ops.aten.special_chebyshev_polynomial_w(
        x, torch.full([], float(n), dtype=torch.ops.prim.floating(x).dtype)
    )
    others cosines; terms 32 ulp

aten::special_shifted_chebyshev_polynomial_t(Tensor x, Tensor n) -> Tensor
    d = torch.ops.prim.polynomial_degree(x, n)
    z = x.to(torch.float64) + torch.zeros_like(d)
    return torch.ops.prim.of_double(x + n, torch.ops.prim.chebyshev_from(2 * z - 1, d, 2 * z - 1))
    others cosines; terms 32 ulp

aten::special_shifted_chebyshev_polynomial_t.x_scalar(Scalar x, Tensor n) -> Tensor
    return torch.ops.aten.special_shifted_chebyshev_polynomial_t(
        torch.full([], float(x), dtype=torch.ops.prim.floating(n).dtype), n
    )
    others cosines; terms 32 ulp

aten::special_shifted_chebyshev_polynomial_t.n_scalar(Tensor x, Scalar n) -> Tensor
    return torch.ops.aten.special_shifted_chebyshev_polynomial_t(
        x, torch.full([], float(n), dtype=torch.ops.prim.floating(x).dtype)
    )
    others cosines; terms 32 ulp

aten::special_shifted_chebyshev_polynomial_u(Tensor x, Tensor n) -> Tensor
    d = torch.ops.prim.polynomial_degree(x, n)
    z = x.to(torch.float64) + torch.zeros_like(d)
    return torch.ops.prim.of_double(x + n, torch.ops.prim.chebyshev_from(2 * z - 1, d, 4 * z - 2))
    others cosines; terms 32 ulp

aten::special_shifted_chebyshev_polynomial_u.x_scalar(Scalar x, Tensor n) -> Tensor
    return torch.ops.aten.special_shifted_chebyshev_polynomial_u(
        torch.full([], float(x), dtype=torch.ops.prim.floating(n).dtype), n
    )
    others cosines; terms 32 ulp

aten::special_shifted_chebyshev_polynomial_u.n_scalar(Tensor x, Scalar n) -> Tensor
    return torch.ops.aten.special_shifted_chebyshev_polynomial_u(
        x, torch.full([], float(n), dtype=torch.ops.prim.floating(x).dtype)
    )
    others cosines; terms 32 ulp

aten::special_shifted_chebyshev_polynomial_v(Tensor x, Tensor n) -> Tensor
    d = torch.ops.prim.polynomial_degree(x, n)
    z = x.to(torch.float64) + torch.zeros_like(d)
    return torch.ops.prim.of_double(x + n, torch.ops.prim.chebyshev_from(2 * z - 1, d, 4 * z - 3))
    others cosines; terms 32 ulp

aten::special_shifted_chebyshev_polynomial_v.x_scalar(Scalar x, Tensor n) -> Tensor
    return torch.ops.aten.special_shifted_chebyshev_polynomial_v(
        torch.full([], float(x), dtype=torch.ops.prim.floating(n).dtype), n
    )
    others cosines; terms 32 ulp

aten::special_shifted_chebyshev_polynomial_v.n_scalar(Tensor x, Scalar n) -> Tensor
    return torch.ops.aten.special_shifted_chebyshev_polynomial_v(
        x, torch.full([], float(n), dtype=torch.ops.prim.floating(x).dtype)
    )
    others cosines; terms 32 ulp

aten::special_shifted_chebyshev_polynomial_w(Tensor x, Tensor n) -> Tensor
    d = torch.ops.prim.polynomial_degree(x, n)
    z = x.to(torch.float64) + torch.zeros_like(d)
    return torch.ops.prim.of_double(x + n, torch.ops.prim.chebyshev_from(2 * z - 1, d, 4 * z - 1))
    others cosines; terms 32 ulp

aten::special_shifted_chebyshev_polynomial_w.x_scalar(Scalar x, Tensor n) -> Tensor
    return torch.ops.aten.special_shifted_chebyshev_polynomial_w(
        torch.full([], float(x), dtype=torch.ops.prim.floating(n).dtype), n
    )
    others cosines; terms 32 ulp

aten::special_shifted_chebyshev_polynomial_w.n_scalar(Tensor x, Scalar n) -> Tensor
    return torch.ops.aten.special_shifted_chebyshev_polynomial_w(
        x, torch.full([], float(n), dtype=torch.ops.prim.floating(x).dtype)
    )
    others cosines; terms 32 ulp

aten::special_hermite_polynomial_h(Tensor x, Tensor n) -> Tensor
    d = torch.ops.prim.polynomial_degree(x, n)
    z = x.to(torch.float64) + torch.zeros_like(d)
    return torch.ops.prim.of_double(x + n, torch.ops.prim.hermite_from(z, d, 2.0))
    others terms 32 ulp

aten::special_hermite_polynomial_h.x_scalar(Scalar x, Tensor n) -> Tensor
    return torch.ops.aten.special_hermite_polynomial_h(
        torch.full([], float(x), dtype=torch.ops.prim.floating(n).dtype), n
    )
    others terms 32 ulp

aten::special_hermite_polynomial_h.n_scalar(Tensor x, Scalar n) -> Tensor
    return torch.ops.aten.special_hermite_polynomial_h(
        x, torch.full([], float(n), dtype=torch.ops.prim.floating(x).dtype)
    )
    others terms 32 ulp

aten::special_hermite_polynomial_he(Tensor x, Tensor n) -> Tensor
    d = torch.ops.prim.polynomial_degree(x, n)
    z = x.to(torch.float64) + torch.zeros_like(d)
    return torch.ops.prim.of_double(x + n, torch.ops.prim.hermite_from(z, d, 1.0))
    others terms 32 ulp

aten::special_hermite_polynomial_he.x_scalar(Scalar x, Tensor n) -> Tensor
    return torch.ops.aten.special_hermite_polynomial_he(
        torch.full([], float(x), dtype=torch.ops.prim.floating(n).dtype), n
    )
    others terms 32 ulp

aten::special_hermite_polynomial_he.n_scalar(Tensor x, Scalar n) -> Tensor
    return torch.ops.aten.special_hermite_polynomial_he(
        x, torch.full([], float(n), dtype=torch.ops.prim.floating(x).dtype)
    )
    others terms 32 ulp

aten::special_laguerre_polynomial_l(Tensor x, Tensor n) -> Tensor
    d = torch.ops.prim.polynomial_degree(x, n)
    z = x.to(torch.float64) + torch.zeros_like(d)
    return torch.ops.prim.of_double(x + n, torch.ops.prim.laguerre_from(z, d))
    others terms 32 ulp

aten::special_laguerre_polynomial_l.x_scalar(Scalar x, Tensor n) -> Tensor
    return torch.ops.aten.special_laguerre_polynomial_l(
        torch.full([], float(x), dtype=torch.ops.prim.floating(n).dtype), n
    )
    others terms 32 ulp

aten::special_laguerre_polynomial_l.n_scalar(Tensor x, Scalar n) -> Tensor
    return torch.ops.aten.special_laguerre_polynomial_l(
        x, torch.full([], float(n), dtype=torch.ops.prim.floating(x).dtype)
    )
    others terms 32 ulp

aten::special_legendre_polynomial_p(Tensor x, Tensor n) -> Tensor
    d = torch.ops.prim.polynomial_degree(x, n)
    z = x.to(torch.float64) + torch.zeros_like(d)
    return torch.ops.prim.of_double(x + n, torch.ops.prim.legendre_from(z, d))
    others terms 32 ulp

aten::special_legendre_polynomial_p.x_scalar(Scalar x, Tensor n) -> Tensor
    return torch.ops.aten.special_legendre_polynomial_p(
        torch.full([], float(x), dtype=torch.ops.prim.floating(n).dtype), n
    )
    others terms 32 ulp

aten::special_legendre_polynomial_p.n_scalar(Tensor x, Scalar n) -> Tensor
    return torch.ops.aten.special_legendre_polynomial_p(
        x, torch.full([], float(n), dtype=torch.ops.prim.floating(x).dtype)
    )
    others terms 32 ulp
