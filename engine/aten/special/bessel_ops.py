# Bessel functions, Airy's function and the incomplete gamma functions of torch.special.
#
# They compute in doubles and round once. Near zero J is Bessel's integral and K the integral of
# exp(-x (cosh t - 1)) cosh(order t), both by equal steps, which converge faster than any power of
# the step, and Y and Ai are power series; far from it all are asymptotic series (Abramowitz and
# Stegun, 9.1, 9.2, 9.6, 10.4). The incomplete gamma functions are the power series below a + 1 and
# the continued fraction above (6.5). Errors are about 1e-12, of the largest term in Y and Ai.

prim::bessel_phase(Tensor x, int order, bool cosine) -> Tensor
    term = torch.ones_like(x)
    even, odd = term, torch.zeros_like(x)
    for k in range(1, 28):
        term = term * ((4 * order * order - (2 * k - 1) ** 2) / (8.0 * k)) / x
        signed = term if k % 4 < 2 else -term
        if k % 2 == 0:
            even = even + signed
        else:
            odd = odd + signed
    angle = x - (order * 0.5 + 0.25) * 3.141592653589793
    wave = (
        torch.cos(angle) * even - torch.sin(angle) * odd
        if cosine
        else torch.sin(angle) * even + torch.cos(angle) * odd
    )
    return wave * torch.sqrt(0.6366197723675814 / x)

prim::bessel_j(Tensor x, int order) -> Tensor
    size = x.abs()
    at_small = torch.zeros_like(size)
    for k in range(48):
        t = (k + 0.5) * 0.06544984694978735
        at_small = at_small + torch.cos(order * t - size * math.sin(t))
    at_small = torch.where((size < 1e-5) & (order == 1), size / 2, at_small / 48)
    found = torch.where(size < 16, at_small, torch.ops.prim.bessel_phase(size, order, True))
    found = torch.where(torch.isinf(size), torch.zeros_like(found), found)
    return torch.where(x < 0, -found, found) if order == 1 else found

prim::bessel_y(Tensor x, int order) -> Tensor
    quarter = x * x / 4
    term = torch.ones_like(x) if order == 0 else x / 2
    harmonic = 0.0 if order == 0 else 0.5
    total = term * harmonic
    for k in range(1, 50):
        term = -term * quarter / (k * (k + order))
        harmonic = harmonic + (1.0 / k if order == 0 else 0.5 / k + 0.5 / (k + 1))
        total = total + term * harmonic
    at_small = (torch.log(x / 2) + 0.5772156649015329) * torch.ops.prim.bessel_j(x, order) - total
    at_small = (at_small if order == 0 else at_small - 1 / x) * 0.6366197723675814
    found = torch.where(x < 14, at_small, torch.ops.prim.bessel_phase(x, order, False))
    found = torch.where(torch.isinf(x), torch.zeros_like(found), found)
    found = torch.where(x == 0, torch.full_like(x, -float("inf")), found)
    return found.masked_fill((x < 0) | (x != x), float("nan"))

prim::bessel_k_scaled(Tensor x, float order) -> Tensor
    total = torch.full_like(x, 0.5)
    for k in range(1, 128):
        t = k * 0.1875
        total = total + torch.exp(-x * (math.cosh(t) - 1)) * math.cosh(order * t)
    term = torch.ones_like(x)
    far = term
    for k in range(1, 28):
        term = term * ((4 * order * order - (2 * k - 1) ** 2) / (8.0 * k)) / x
        far = far + term
    found = torch.where(x < 16, total * 0.1875, far * torch.sqrt(1.5707963267948966 / x))
    if order == 0.0:
        found = torch.where(
            x < 5e-9, (-torch.log(x / 2) - 0.5772156649015329) * torch.exp(x), found
        )
    if order == 1.0:
        found = torch.where(x < 5e-9, torch.exp(x) / x, found)
    found = torch.where(x == 0, torch.full_like(x, float("inf")), found)
    return found.masked_fill((x < 0) | (x != x), float("nan"))

aten::special_bessel_j0(Tensor self) -> Tensor
    return torch.ops.prim.of_series(self, torch.ops.prim.bessel_j(self.to(torch.float64), 0))

aten::special_bessel_j1(Tensor self) -> Tensor
    return torch.ops.prim.of_series(self, torch.ops.prim.bessel_j(self.to(torch.float64), 1))

aten::special_bessel_y0(Tensor self) -> Tensor
    return torch.ops.prim.of_series(self, torch.ops.prim.bessel_y(self.to(torch.float64), 0))

aten::special_bessel_y1(Tensor self) -> Tensor
    return torch.ops.prim.of_series(self, torch.ops.prim.bessel_y(self.to(torch.float64), 1))

aten::special_modified_bessel_i0(Tensor self) -> Tensor
    return torch.ops.aten.i0(self)

aten::special_modified_bessel_i1(Tensor self) -> Tensor
    return torch.ops.aten.special_i1(self)

aten::special_modified_bessel_k0(Tensor self) -> Tensor
    x = self.to(torch.float64)
    return torch.ops.prim.of_series(self, torch.ops.prim.bessel_k_scaled(x, 0.0) * torch.exp(-x))

aten::special_modified_bessel_k1(Tensor self) -> Tensor
    x = self.to(torch.float64)
    return torch.ops.prim.of_series(self, torch.ops.prim.bessel_k_scaled(x, 1.0) * torch.exp(-x))

aten::special_scaled_modified_bessel_k0(Tensor x) -> Tensor
    return torch.ops.prim.of_series(x, torch.ops.prim.bessel_k_scaled(x.to(torch.float64), 0.0))

aten::special_scaled_modified_bessel_k1(Tensor x) -> Tensor
    return torch.ops.prim.of_series(x, torch.ops.prim.bessel_k_scaled(x.to(torch.float64), 1.0))

aten::special_spherical_bessel_j0(Tensor x) -> Tensor
    z = x.to(torch.float64)
    square = z * z
    at_small = 1 - square / 6 * (
        1 - square / 20 * (1 - square / 42 * (1 - square / 72 * (1 - square / 110)))
    )
    found = torch.where(z.abs() < 0.25, at_small, torch.sin(z) / z)
    return torch.ops.prim.of_series(x, torch.where(torch.isinf(z), torch.zeros_like(z), found))
    others near one 4 ulp

aten::special_airy_ai(Tensor x) -> Tensor
    z = x.to(torch.float64)
    cube = z * z * z
    f, g = torch.ones_like(z), z
    one, two = f, g
    for k in range(1, 60):
        one = one * cube / ((3 * k - 1) * (3 * k))
        two = two * cube / ((3 * k) * (3 * k + 1))
        f = f + one
        g = g + two
    at_small = f * 0.3550280538878172 - g * 0.2588194037928068
    size = z.abs()
    root = torch.sqrt(size)
    zeta = size * root * 0.6666666666666666
    at_large = (
        torch.ops.prim.bessel_k_scaled(zeta, 1.0 / 3.0)
        * torch.exp(-zeta)
        * root
        * 0.1837762984739307
    )
    even, odd = torch.ones_like(z), torch.zeros_like(z)
    term = even
    for k in range(1, 20):
        term = term * ((6 * k - 5) * (6 * k - 3) * (6 * k - 1) / (216.0 * k * (2 * k - 1))) / zeta
        signed = term if k % 4 < 2 else -term
        if k % 2 == 0:
            even = even + signed
        else:
            odd = odd + signed
    angle = zeta + 0.7853981633974483
    wave = (
        (torch.sin(angle) * even - torch.cos(angle) * odd) / torch.sqrt(root) * 0.5641895835477563
    )
    found = torch.where(z > 1, at_large, torch.where(z < -8, wave, at_small))
    return torch.ops.prim.of_series(
        x, torch.where(torch.isinf(z), torch.zeros_like(z), found).masked_fill(z != z, float("nan"))
    )

prim::gamma_parts(Tensor a, Tensor x) -> (Tensor, Tensor)
    front = torch.exp(a * torch.log(x) - x - torch.lgamma(a))
    term = 1 / a
    total = term
    for k in range(1, 300):
        term = term * x / (a + k)
        total = total + term
    b = x + 1 - a
    c = torch.full_like(b, 1e300)
    d = 1 / b
    h = d
    for k in range(1, 300):
        step = -k * (k - a)
        b = b + 2
        d = step * d + b
        d = 1 / torch.where(d.abs() < 1e-300, torch.full_like(d, 1e-300), d)
        c = b + step / c
        c = torch.where(c.abs() < 1e-300, torch.full_like(c, 1e-300), c)
        h = h * d * c
    low = x < a + 1
    return torch.where(low, front * total, 1 - front * h), torch.where(
        low, 1 - front * total, front * h
    )

prim::gamma_ratio(Tensor a, Tensor x, bool upper) -> Tensor
    if (
        not (a.is_floating_point() or x.is_floating_point())
        or a.dtype == torch.bool
        or x.dtype == torch.bool
    ):
        raise RuntimeError("igamma and igammac take tensors of floats")
    p, q = a.to(torch.float64) + torch.zeros_like(x, dtype=torch.float64), x.to(
        torch.float64
    ) + torch.zeros_like(a, dtype=torch.float64)
    parts = torch.ops.prim.gamma_parts(p, q)
    one, zero = torch.ones_like(p), torch.zeros_like(p)
    most, least = (zero, one) if upper else (one, zero)
    found = parts[1] if upper else parts[0]
    found = torch.where(
        (q == 0) & (p > 0),
        least,
        torch.where(torch.isinf(p), least, torch.where((p == 0) | torch.isinf(q), most, found)),
    )
    wrong = (p < 0) | (q < 0) | (q != q) | ((p == 0) & (q == 0)) | (torch.isinf(p) & torch.isinf(q))
    found = torch.where(
        (p != p) & (q == 0), least, found.masked_fill(wrong | ((p != p) & (q != 0)), float("nan"))
    )
    return torch.ops.prim.of_series(a + x, found)

aten::igamma(Tensor self, Tensor other) -> Tensor
    inplace
    return torch.ops.prim.gamma_ratio(self, other, False)
    peers gradient when integers: lgamma of an integer is float32's

aten::igammac(Tensor self, Tensor other) -> Tensor
    inplace
    return torch.ops.prim.gamma_ratio(self, other, True)
    peers gradient when integers: lgamma of an integer is float32's

aten::special_gammainc(Tensor self, Tensor other) -> Tensor
    return torch.ops.prim.gamma_ratio(self, other, False)

aten::special_gammaincc(Tensor self, Tensor other) -> Tensor
    return torch.ops.prim.gamma_ratio(self, other, True)
