# Special functions (torch.special), and parts of floats.
#
# They compute in doubles and round once. Inverses of erf and erfc start from a closed form and
# take Halley's steps, which triple the digits; psi and the zeta function shift their argument to
# 10 and more, where few terms of Euler-Maclaurin's series suffice; Bessel functions are their
# power series up to 20 and the asymptotic series beyond (Abramowitz and Stegun, 6.3, 6.4, 7.1, 9.6,
# 9.7, 23.2). The quantile of the normal distribution is that of special/quantile.h.

prim::normal_quantile(Tensor q, Tensor share) -> Tensor
    c = 0.180625 - q * q
    r = torch.sqrt(-torch.log(share))
    m = r - 1.6
    f = r - 5
    middle = (
        (((((((7.74545014278341386e-04 * m + 2.27238449892691839e-02)
        * m + 2.41780725177450612e-01) * m + 1.27045825245236843e+00)
        * m + 3.64784832476320453e+00) * m + 5.76949722146069099e+00)
        * m + 4.63033784615654564e+00) * m + 1.42343711074968349e+00)
        / (((((((1.05075007164441688e-09 * m + 5.47593808499534547e-04)
        * m + 1.51986665636164569e-02) * m + 1.48103976427480077e-01)
        * m + 6.89767334985100011e-01) * m + 1.67638483018380380e+00)
        * m + 2.05319162663775900e+00) * m + 1.00000000000000000e+00)
    )
    end = (
        (((((((2.01033439929228815e-07 * f + 2.71155556874348760e-05)
        * f + 1.24266094738807839e-03) * f + 2.65321895265761241e-02)
        * f + 2.96560571828504871e-01) * f + 1.78482653991729134e+00)
        * f + 5.46378491116411436e+00) * f + 6.65790464350110334e+00)
        / (((((((2.04426310338993967e-15 * f + 1.42151175831644595e-07)
        * f + 1.84631831751005481e-05) * f + 7.86869131145613294e-04)
        * f + 1.48753612908506146e-02) * f + 1.36929880922735808e-01)
        * f + 5.99832206555887981e-01) * f + 1.00000000000000000e+00)
    )
    tail = torch.where(r <= 5, middle, end)
    tail = torch.where(share == 0, torch.full_like(share, float("inf")), tail)
    tail = torch.where(share >= 0, torch.copysign(tail, q), torch.full_like(share, float("nan")))
    central = (
        q * (((((((2.50908092873012265e+03 * c + 3.34305755835881282e+04)
        * c + 6.72657709270087071e+04) * c + 4.59219539315498696e+04)
        * c + 1.37316937655094607e+04) * c + 1.97159095030655135e+03)
        * c + 1.33141667891784380e+02) * c + 3.38713287279636655e+00)
        / (((((((5.22649527885285443e+03 * c + 2.87290857357219429e+04)
        * c + 3.93078958000927087e+04) * c + 2.12137943015865967e+04)
        * c + 5.39419602142475105e+03) * c + 6.87187007492057887e+02)
        * c + 4.23133307016009113e+01) * c + 1.00000000000000000e+00)
    )
    return torch.where(q.abs() <= 0.425, central, tail)

aten::erfinv(Tensor self) -> Tensor
    inplace
    q = self.to(torch.float64) * 0.5
    share = 0.5 - q.abs()
    found = torch.ops.prim.normal_quantile(q, share)
    return torch.ops.prim.of_double(self, found * 0.7071067811865476)
    gradient self: grad * (torch.exp(result * result) * 0.886226925452758)

aten::special_ndtri(Tensor self) -> Tensor
    p = self.to(torch.float64)
    q = p - 0.5
    share = torch.minimum(p, 1 - p)
    return torch.ops.prim.of_double(self, torch.ops.prim.normal_quantile(q, share))
    gradient self: grad * (torch.exp(result * result / 2) * 2.5066282746310002)

prim::of_double(Tensor self, Tensor value) -> Tensor
    return torch.ops.prim.rounded_as(value, torch.ops.prim.floating(self))

prim::of_series(Tensor self, Tensor value) -> Tensor
    return torch.ops.prim.summed_as(value, torch.ops.prim.floating(self))

prim::frexp_parts(Tensor self) -> (Tensor, Tensor)
    x = self.to(torch.float64)
    tiny = x.abs() < 2.2250738585072014e-308
    size = torch.where(tiny, x * 1.8446744073709552e19, x).abs()
    fine = torch.isfinite(x) & (x != 0)
    e = (torch.log2(torch.where(fine, size, torch.ones_like(size))).floor() + 1).to(torch.int64)
    half = torch.div(e, 2, rounding_mode="floor")
    m = (
        size
        * torch.pow(2.0, -half.to(torch.float64))
        * torch.pow(2.0, (half - e).to(torch.float64))
    )
    e = e + (m >= 1).to(torch.int64) - (m < 0.5).to(torch.int64)
    m = torch.where(m >= 1, m / 2, torch.where(m < 0.5, m * 2, m))
    e = torch.where(tiny, e - 64, e)
    return torch.where(fine, torch.copysign(m, x), x), torch.where(fine, e, torch.zeros_like(e))

aten::frexp.Tensor(Tensor self) -> (Tensor mantissa, Tensor exponent)
    if not self.is_floating_point():
        raise RuntimeError("frexp takes tensors of floats")
    m, e = torch.ops.prim.frexp_parts(self)
    return m.to(self.dtype), e.to(torch.int32)
    gradient self: grad0 / torch.exp2(result1)

aten::nextafter(Tensor self, Tensor other) -> Tensor
    inplace
    kind = torch.result_type(self, other)
    if not torch.zeros([0], dtype=kind).is_floating_point():
        raise RuntimeError("nextafter takes tensors of floats")
    digits = (
        53
        if kind == torch.float64
        else (24 if kind == torch.float32 else (11 if kind == torch.float16 else 8))
    )
    x, to = self.to(kind).to(torch.float64), other.to(kind).to(torch.float64)
    m, e = torch.ops.prim.frexp_parts(x)
    lowest = -1021 if kind == torch.float64 else (-13 if kind == torch.float16 else -125)
    away = (to > x) == (x >= 0)
    finer = (m.abs() == 0.5) & ~away & (e > lowest)
    exponent = e.masked_fill(x == 0, lowest).clamp_min(lowest) - digits - finer.to(torch.int64)
    step = torch.pow(2.0, torch.div(exponent, 2, rounding_mode="floor").to(torch.float64))
    step = step * torch.pow(
        2.0, (exponent - torch.div(exponent, 2, rounding_mode="floor")).to(torch.float64)
    )
    moved = torch.where(to > x, x + step, x - step)
    moved = torch.where((moved == 0) & (x != 0), torch.copysign(moved, x), moved)
    largest = (
        1.7976931348623157e308
        if kind == torch.float64
        else (
            3.4028234663852886e38
            if kind == torch.float32
            else (65504.0 if kind == torch.float16 else 3.3895313892515355e38)
        )
    )
    moved = torch.where(torch.isinf(x), torch.copysign(torch.full_like(x, largest), x), moved)
    return torch.where(x == to, to, torch.where((x != x) | (to != to), x + to, moved)).to(kind)

aten::special_ndtr(Tensor self) -> Tensor
    return torch.ops.prim.of_double(
        self, torch.erfc(self.to(torch.float64) * -0.7071067811865476) * 0.5
    )
    others near one 4 ulp

aten::special_log_ndtr(Tensor self) -> Tensor
    t = self.to(torch.float64) * 0.7071067811865476
    low = torch.log(torch.special.erfcx(-t) / 2) - t * t
    found = torch.where(t < -0.7, low, torch.log1p(-torch.erfc(t) / 2))
    return torch.ops.prim.of_double(self, torch.where(torch.isinf(t) & (t < 0), t, found))
    gradient self: grad / torch.special.erfcx(self * -0.7071067811865476) * 0.7978845608028654

aten::special_entr(Tensor self) -> Tensor
    x = torch.ops.prim.floating(self)
    low = torch.where(x == 0, torch.zeros_like(x), torch.full_like(x, -float("inf")))
    return torch.where(x <= 0, low, -x * torch.log(x))
    gradient self: grad * (-self.log() - 1)

aten::special_xlog1py(Tensor self, Tensor other) -> Tensor
    kind = torch.ops.prim.floating(self + other).dtype
    product = self.to(kind) * torch.log1p(other.to(kind))
    return torch.where(
        other != other,
        other.to(product.dtype),
        torch.where(self == 0, torch.zeros_like(product), product),
    )
    gradient self:
        return (grad * other.to(grad.dtype).log1p()).masked_fill(
            (self == 0) & (other.to(grad.dtype) <= -1), 0
        )
    gradient other: grad * self / (other + 1)

aten::special_xlog1py.other_scalar(Tensor self, Scalar other) -> Tensor
    return torch.special.xlog1py(
        self, torch.full([], float(other), dtype=torch.ops.prim.floating(self).dtype)
    )

aten::special_xlog1py.self_scalar(Scalar self, Tensor other) -> Tensor
    return torch.special.xlog1py(
        torch.full([], float(self), dtype=torch.ops.prim.floating(other).dtype), other
    )

aten::digamma(Tensor self) -> Tensor
    inplace
    x = self.to(torch.float64)
    low = x < 0.5
    t = torch.where(low, 1 - x, x)
    shift = torch.zeros_like(t)
    for i in range(10):
        small = t < 10
        shift = torch.where(small, shift + 1 / t, shift)
        t = torch.where(small, t + 1, t)
    r = 1 / (t * t)
    series = r * (
        1 / 12
        - r * (1 / 120 - r * (1 / 252 - r * (1 / 240 - r * (1 / 132 - r * (691 / 32760 - r / 12)))))
    )
    found = torch.log(t) - 0.5 / t - series - shift
    found = torch.where(
        low, found - 3.141592653589793 / torch.tan((x - x.round()) * 3.141592653589793), found
    )
    pole = torch.where(
        x == 0,
        torch.copysign(torch.full_like(x, float("inf")), -x),
        torch.full_like(x, float("nan")),
    )
    return torch.ops.prim.of_double(self, torch.where((x <= 0) & (x == x.floor()), pole, found))
    gradient self: grad * torch.polygamma(1, self)

prim::hurwitz(Tensor s, Tensor q) -> Tensor
    p = s.to(torch.float64)
    whole = torch.where(p == p, q.to(torch.float64), q.to(torch.float64))
    pole = (p == 1) | (((p > 1) | (p != p)) & (whole <= 0) & (whole == whole.floor()))
    a = whole.masked_fill(pole, 1.0)
    legal = (p > 1) & ((a > 0) | (p == p.floor()))
    if bool((a < -10000).any()):
        raise RuntimeError("the zeta function takes no q below -10000")
    out = torch.zeros_like(a)
    far = 10 + p.clamp(max=100)
    while bool((legal & (a < far)).any()):
        out = torch.where(a < far, out + a.pow(-p), out)
        a = torch.where(a < far, a + 1, a)
    last = a.pow(-p)
    out = out + last * a / (p - 1) + last / 2
    factor = last * p / a
    parts = [
        1 / 12,
        -1 / 720,
        1 / 30240,
        -1 / 1209600,
        1 / 47900160,
        -691 / 1307674368000,
        1 / 74724249600,
        -3617 / 1.067062284288e16,
        43867 / 5.109094217170944e18,
        -174611 / 8.028576626982912e20,
        77683 / 1.4101100039391805e22,
        -236364091 / 1.6938241367317436e27,
    ]
    for j in range(len(parts)):
        out = out + factor * parts[j]
        factor = factor * (p + (2 * j + 1)) * (p + (2 * j + 2)) / (a * a)
    out = torch.where(torch.isinf(a) & (a > 0), torch.zeros_like(out), out)
    out = torch.where(legal, out, torch.full_like(out, float("nan")))
    return torch.empty_like(whole).copy_(out.masked_fill(pole, float("inf")))

aten::special_zeta(Tensor self, Tensor other) -> Tensor
    return torch.ops.prim.of_double(self * other, torch.ops.prim.hurwitz(self, other))
    gradient other: grad * -self * torch.special.zeta(self + 1, other)

aten::special_zeta.other_scalar(Tensor self, Scalar other) -> Tensor
    return torch.special.zeta(
        self, torch.full([], float(other), dtype=torch.ops.prim.floating(self).dtype)
    )

aten::special_zeta.self_scalar(Scalar self, Tensor other) -> Tensor
    return torch.special.zeta(
        torch.full([], float(self), dtype=torch.ops.prim.floating(other).dtype), other
    )

aten::polygamma(int n, Tensor self) -> Tensor
    if n < 0:
        raise RuntimeError("polygamma takes an order of at least 0")
    if n == 0:
        return torch.digamma(self)
    x = self.to(torch.float64)
    if n == 1:
        low = x < 0.5
        sine = 3.141592653589793 / torch.sin(torch.ops.prim.wide(self) * 3.141592653589793).to(
            torch.float64
        )
        found = torch.ops.prim.hurwitz(torch.full([], 2.0), torch.where(low, 1 - x, x))
        return torch.ops.prim.of_double(self, torch.where(low, sine * sine - found, found))
    size = math.gamma(float(n + 1)) * (1.0 if n % 2 == 1 else -1.0)
    return torch.ops.prim.of_double(self, torch.ops.prim.hurwitz(torch.full([], n + 1.0), x) * size)
    gradient self: grad * torch.polygamma(n + 1, self)
    draw n=0..4 self=w[N]

aten::polygamma_(Tensor(a!) self, int n) -> Tensor(a!)
    return torch.ops.prim.write_to(self, torch.polygamma(n, self), "polygamma_")
    draw n=0..4 self=w[N]

aten::mvlgamma(Tensor self, int p) -> Tensor
    if p < 1 or self.dtype == torch.bool:
        raise RuntimeError("mvlgamma takes p of at least 1, and numbers")
    x = torch.ops.prim.floating(self)
    out = torch.full_like(x, p * (p - 1) / 4 * 1.1447298858494002)
    for i in range(p):
        out = out + torch.lgamma(x - i / 2)
    return out
    draw self=w[N]{3..9} p=1..4

prim::bessel_scaled(Tensor self, int order) -> Tensor
    x = self.abs()
    term = torch.ones_like(x) if order == 0 else x / 2
    at_small = term
    for k in range(1, 60):
        term = term * (x * x / 4) / (k * (k + order))
        at_small = at_small + term
    term = torch.ones_like(x)
    at_large = term
    for k in range(1, 41):
        term = term * ((2 * k - 1) ** 2 - 4 * order) / (8.0 * k * x)
        at_large = at_large + term
    return torch.where(
        x <= 20, at_small * torch.exp(-x), at_large / torch.sqrt(x * 6.283185307179586)
    )

aten::i0(Tensor self) -> Tensor
    inplace
    x = self.to(torch.float64)
    return torch.ops.prim.of_series(self, torch.ops.prim.bessel_scaled(x, 0) * torch.exp(x.abs()))
    gradient self: grad * torch.special.i1(self)

aten::special_i0e(Tensor self) -> Tensor
    return torch.ops.prim.of_series(self, torch.ops.prim.bessel_scaled(self.to(torch.float64), 0))
    gradient self: grad * (torch.special.i1e(self) - self.sgn() * result)

aten::special_i1(Tensor self) -> Tensor
    x = self.to(torch.float64)
    return torch.ops.prim.of_series(
        self, torch.copysign(torch.ops.prim.bessel_scaled(x, 1) * torch.exp(x.abs()), x)
    )
    gradient self:
        tiny = ~(self.abs() > 2.220446049250313e-16)
        safe = torch.where(tiny, torch.ones_like(self), self)
        slope = torch.i0(safe) - torch.special.i1(safe) / safe
        return grad * torch.where(tiny, torch.full_like(self, 0.5), slope)

aten::special_i1e(Tensor self) -> Tensor
    x = self.to(torch.float64)
    return torch.ops.prim.of_series(self, torch.copysign(torch.ops.prim.bessel_scaled(x, 1), x))
    gradient self:
        tiny = ~(self.abs() > 2.220446049250313e-16)
        safe = torch.where(tiny, torch.ones_like(self), self)
        slope = torch.special.i0e(safe) - torch.special.i1e(safe) * (safe.sgn() + 1 / safe)
        return grad * torch.where(tiny, torch.full_like(self, 0.5), slope)

# Of operators in C++.
aten::special_erfcx
    gradient self: grad * (self * 2 * result - 1.1283791670955126)
    others exponent 2 ulp
prim::of_double, prim::of_series
    gradient self: none
    gradient value: grad
