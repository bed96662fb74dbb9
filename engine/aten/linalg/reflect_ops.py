# Factors by reflections and by symmetric pivoting as LAPACK stores them, and least squares.
#
# Reflections (geqrf, ormqr) have the signs of LAPACK: the first number of a column becomes that of
# the other sign, and tau is 0 where all below it is 0. The symmetric factor is Bunch's and
# Kaufman's (Golub and Van Loan, 4.4.4) of the lower triangle: blocks of one or two rows, the
# exchanges being done in what is left of the matrix alone. Least squares go through singular
# values, so that of many solutions the shortest is given. All in double, rounded once.

aten::geqrf(Tensor self) -> (Tensor a, Tensor tau)
    a = torch.ops.prim.batches(torch.ops.prim.as_doubles(self, False))
    m, n = a.shape[1], a.shape[2]
    rows = torch.arange(m)
    below = torch.zeros_like(a)
    scales: List[Tensor] = []
    for i in range(min(m, n)):
        top = a.select(2, i).narrow(1, i, 1)
        rest = a.select(2, i).masked_fill(rows <= i, 0.0)
        length = (top * top + (rest * rest).sum([1], True)).sqrt()
        flat = rest.abs().amax([1], True) == 0
        beta = torch.where(flat, top, torch.where(top < 0, length, -length))
        tau = torch.where(
            flat,
            torch.zeros_like(top),
            (beta - top) / torch.where(flat, torch.ones_like(beta), beta),
        )
        v = torch.where(
            rows == i,
            torch.ones_like(rest),
            rest / torch.where(flat, torch.ones_like(beta), top - beta),
        )
        reflected = a - (tau * v).unsqueeze(2) * v.unsqueeze(1).matmul(a)
        a = torch.where(rows.unsqueeze(1) >= i, reflected, a)
        below.select(2, i).copy_(v.masked_fill(rows <= i, 0.0))
        scales.append(tau.squeeze(1))
    lead: List[int] = self.shape[:-2]
    taus = (
        torch.stack(scales, 1)
        if len(scales) > 0
        else torch.zeros([a.shape[0], 0], dtype=torch.float64)
    )
    return (a.triu() + below).reshape(self.shape).to(self.dtype), taus.reshape(
        lead + [min(m, n)]
    ).to(self.dtype)
    draw self=w[*,N,M]{1..9} N=1..4 M=1..4

aten::ormqr(Tensor self, Tensor input2, Tensor input3, bool left=True,
            bool transpose=False) -> Tensor
    if (
        self.dim() < 2
        or input2.dim() != self.dim() - 1
        or input3.dim() != self.dim()
        or input2.shape[-1] > self.shape[-1]
    ):
        raise RuntimeError(
            "ormqr takes reflections, a number for each of the first of them, and matrices of as "
            "many dims"
        )
    if (
        input2.dtype != self.dtype
        or input3.dtype != self.dtype
        or input3.shape[:-2] != self.shape[:-2]
        or input2.shape[:-1] != self.shape[:-2]
    ):
        raise RuntimeError("ormqr takes batches of one size and one dtype")
    m = self.shape[-2]
    if m != (input3.shape[-2] if left else input3.shape[-1]) or input2.shape[-1] > m:
        raise RuntimeError("ormqr: reflections are as long as what they turn")
    a, tau = torch.ops.prim.as_doubles(self, False), input2.to(torch.float64)
    q = torch.eye(m, dtype=torch.float64).expand(self.shape[:-2] + [m, m])
    rows = torch.arange(m)
    for j in range(input2.shape[-1]):
        i = input2.shape[-1] - 1 - j
        v = a.select(-1, i).masked_fill(rows < i, 0.0).masked_fill(rows == i, 1.0).unsqueeze(-1)
        q = q - tau.select(-1, i).unsqueeze(-1).unsqueeze(-1) * v * (v * q).sum([-2], True)
    factor = q.transpose(-2, -1) if transpose else q
    other = input3.to(torch.float64)
    return (factor.matmul(other) if left else other.matmul(factor)).to(self.dtype)
    draw self=w[N,N] input2==[N] input3==[N,M] left=True
    others reflections; not finite

prim::swap_symmetric(Tensor self, int first, int second) -> Tensor
    order = [i for i in range(self.shape[0])]
    order[first], order[second] = second, first
    indices = torch.tensor(order, dtype=torch.int64)
    return self.index_select(0, indices).index_select(1, indices)

prim::pivot_of(Tensor rest) -> (int, int)
    n = rest.shape[0]
    size = float(rest[0, 0].abs())
    if n == 1:
        return 0, 1
    column = rest.select(1, 0).abs()
    best = int(column.narrow(0, 1, n - 1).argmax()) + 1
    most = float(column[best])
    if size >= 0.6403882032022076 * most:
        return 0, 1
    line = rest.select(1, best).abs().masked_fill(torch.arange(n) == best, 0.0)
    widest = float(line.amax())
    if size >= 0.6403882032022076 * most * (most / widest):
        return 0, 1
    if float(rest[best, best].abs()) >= 0.6403882032022076 * widest:
        return best, 1
    return best, 2

prim::factor_ldl(Tensor self) -> (Tensor, Tensor, int)
    n = self.shape[0]
    rest = self.tril() + self.tril(-1).t()
    out = torch.zeros_like(self)
    pivots: List[int] = []
    info = 0
    while len(pivots) < n:
        k = len(pivots)
        pivot, step = torch.ops.prim.pivot_of(rest)
        rest = torch.ops.prim.swap_symmetric(rest, step - 1, pivot) if pivot > 0 else rest
        block = rest.narrow(0, 0, step).narrow(1, 0, step)
        side = rest.narrow(0, step, n - k - step).narrow(1, 0, step)
        rest = rest.narrow(0, step, n - k - step).narrow(1, step, n - k - step)
        if float(block.abs().amax()) == 0.0:
            info = k + 1 if info == 0 else info
        else:
            share = side / block if step == 1 else torch.linalg_solve(block, side, left=False)
            rest = rest - share.matmul(side.t())
            side = share
        out.narrow(0, k, step).narrow(1, k, step).copy_(block.tril())
        out.narrow(0, k + step, n - k - step).narrow(1, k, step).copy_(side)
        pivots += [k + pivot + 1] if step == 1 else [-(k + pivot + 1)] * 2
    return out, torch.tensor(pivots, dtype=torch.int32), info

aten::linalg_ldl_factor_ex(Tensor self, *, bool hermitian=False,
                           bool check_errors=False) -> (Tensor LD, Tensor pivots, Tensor info)
    a = torch.ops.prim.batches(torch.ops.prim.as_doubles(self, True))
    factors, pivots = torch.zeros_like(a), torch.zeros(a.shape[:2], dtype=torch.int32)
    infos = torch.zeros([a.shape[0]], dtype=torch.int32)
    for i in range(a.shape[0]):
        factor, order, info = torch.ops.prim.factor_ldl(a.select(0, i))
        factors.select(0, i).copy_(factor)
        pivots.select(0, i).copy_(order)
        infos.select(0, i).fill_(info)
        if check_errors and info > 0:
            raise RuntimeError(f"linalg_ldl_factor: number {info} on the diagonal of D is zero")
    return (
        factors.reshape(self.shape).to(self.dtype),
        pivots.reshape(self.shape[:-1]),
        infos.reshape(self.shape[:-2]),
    )

aten::linalg_ldl_factor(Tensor self, *, bool hermitian=False) -> (Tensor LD, Tensor pivots)
    factors, pivots, info = torch.ops.aten.linalg_ldl_factor_ex(
        self, hermitian=hermitian, check_errors=True
    )
    return factors, pivots

prim::whole_of_ldl(Tensor LD, Tensor pivots) -> Tensor
    n = LD.shape[0]
    order: List[int] = pivots.to(torch.int64).tolist()
    starts: List[int] = []
    k = 0
    while k < n:
        starts.append(k)
        k += 1 if order[k] > 0 else 2
    out = torch.zeros_like(LD)
    for j in range(len(starts)):
        k = starts[len(starts) - 1 - j]
        step = 1 if order[k] > 0 else 2
        block = LD.narrow(0, k, step).narrow(1, k, step)
        out.narrow(0, k, step).narrow(1, k, step).copy_(block.tril() + block.tril(-1).t())
        unit = torch.eye(n, dtype=LD.dtype)
        unit.narrow(0, k + step, n - k - step).narrow(1, k, step).copy_(
            LD.narrow(0, k + step, n - k - step).narrow(1, k, step)
        )
        out = torch.ops.prim.swap_symmetric(
            unit.matmul(out).matmul(unit.t()), k + step - 1, abs(order[k]) - 1
        )
    return out

aten::linalg_ldl_solve(Tensor LD, Tensor pivots, Tensor B, *, bool hermitian=False) -> Tensor
    if (
        B.dim() < 2
        or B.dtype != LD.dtype
        or pivots.is_floating_point()
        or pivots.shape != LD.shape[:-1]
    ):
        raise RuntimeError(
            "linalg_ldl_solve takes factors, integer pivots, and matrices "
            "of the factors' dtype"
        )
    a = torch.ops.prim.batches(torch.ops.prim.as_doubles(LD, True))
    lines = pivots.reshape(a.shape[:2])
    wholes = [
        torch.ops.prim.whole_of_ldl(a.select(0, i), lines.select(0, i)) for i in range(a.shape[0])
    ]
    whole = (torch.stack(wholes) if len(wholes) > 0 else a).reshape(LD.shape)
    shape = torch._infer_size(LD.shape[:-2], B.shape[:-2]) + [B.shape[-2], B.shape[-1]]
    return torch.ops.prim.as_shape(torch.linalg_solve(whole, B.to(torch.float64)), shape, B.dtype)

aten::linalg_lstsq(Tensor self, Tensor b, float? rcond=None, *,
                   str? driver=None) -> (Tensor solution, Tensor residuals, Tensor rank,
                   Tensor singular_values)
    values
    way = "gelsy" if driver is None else driver
    if way not in ["gels", "gelsy", "gelsd", "gelss"]:
        raise RuntimeError(f"linalg_lstsq: the driver is gels, gelsy, gelsd or gelss, got '{way}'")
    if self.dim() < 2 or b.dim() < 1 or b.dtype != self.dtype:
        raise RuntimeError("linalg_lstsq takes matrices and right sides of their dtype")
    line = b.dim() == self.dim() - 1 and b.shape == self.shape[:-1]
    a, right = torch.ops.prim.as_doubles(self, False), (b.unsqueeze(-1) if line else b).to(
        torch.float64
    )
    m, n = self.shape[-2], self.shape[-1]
    if right.dim() != self.dim() or right.shape[-2] != m or right.shape[:-2] != self.shape[:-2]:
        raise RuntimeError(
            "linalg_lstsq: the right sides are as long as the matrix, one batch for each"
        )
    lead: List[int] = self.shape[:-2]
    none = torch.zeros([0], dtype=self.dtype)
    u, s, vh = torch.linalg_svd(a, False)
    step = 2.220446049250313e-16 if self.dtype == torch.float64 else 1.1920928955078125e-07
    least = step * max(m, n) if rcond is None else rcond
    most = s.amax([-1], True) if s.shape[-1] > 0 else s
    kept = s > least * most
    share = torch.where(kept, 1 / s, torch.zeros_like(s)).unsqueeze(-1)
    x = vh.transpose(-2, -1).matmul(share * u.transpose(-2, -1).matmul(right))
    rank = kept.sum([-1]) if s.shape[-1] > 0 else torch.zeros(lead, dtype=torch.int64)
    residuals = none
    if m > n and way != "gelsy" and (way == "gels" or bool((rank == n).all())):
        off = a.matmul(x) - right
        residuals = (off * off).sum([-2]).to(self.dtype)
    sizes = s.to(self.dtype) if way == "gelsd" or way == "gelss" else none
    return (
        (x.squeeze(-1) if line else x).to(self.dtype),
        residuals,
        torch.zeros([0], dtype=torch.int64) if way == "gels" else rank,
        sizes,
    )
    peers gradient: nothing flows back from residuals

aten::symeig(Tensor self, bool eigenvectors=False, bool upper=True) -> (Tensor eigenvalues,
             Tensor eigenvectors)
    if eigenvectors:
        return torch.linalg_eigh(self, "U" if upper else "L")
    return torch.linalg_eigvalsh(self, "U" if upper else "L"), torch.zeros([0], dtype=self.dtype)
    peers gradient: of one half of a matrix
    slopes asymmetric
