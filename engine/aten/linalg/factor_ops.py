# What linear algebra says of success, ranks and conditions, triangular factors, matrix exponentials
# and reflectors.
#
# Operators named `*_ex` give NaNs where a matrix has no answer, and report the first zero on the
# diagonal of U (that of Cholesky's factor the first minor that is not positive), and 0 elsewhere.
# Factors and exponentials are computed in double and rounded once; the exponential is the Taylor
# series of the matrix scaled below one half, squared again.

prim::no_failures(Tensor self) -> Tensor
    return torch.zeros(self.shape[:-2], dtype=torch.int32)

prim::elimination_info(Tensor A, bool check_errors, str op) -> Tensor
    if A.numel() == 0:
        return torch.ops.prim.no_failures(A)
    det = torch.linalg_det(A)
    if not bool(((det == 0) | (det != det)).any()):
        return torch.ops.prim.no_failures(A)
    info = torch.ops.prim.first_zero(torch.ops.prim.factor_lu(A, True)[0])
    if check_errors and bool((info > 0).any()):
        raise RuntimeError(op + ": the matrix is singular")
    return info

prim::unit_where_failed(Tensor A, Tensor info) -> Tensor
    if A.numel() == 0 or not bool((info > 0).any()):
        return A
    return torch.where(
        (info > 0).unsqueeze(-1).unsqueeze(-1), torch.eye(A.shape[-1], dtype=A.dtype), A
    )

aten::linalg_inv_ex(Tensor A, *, bool check_errors=False) -> (Tensor inverse, Tensor info)
    info = torch.ops.prim.elimination_info(A, check_errors, "linalg_inv_ex")
    inverse = torch.linalg_inv(torch.ops.prim.unit_where_failed(A, info))
    return inverse.masked_fill((info > 0).unsqueeze(-1).unsqueeze(-1), float("nan")), info

aten::linalg_solve_ex(Tensor A, Tensor B, *, bool left=True,
                      bool check_errors=False) -> (Tensor result, Tensor info)
    info = torch.ops.prim.elimination_info(A, check_errors, "linalg_solve_ex")
    result = torch.linalg_solve(torch.ops.prim.unit_where_failed(A, info), B, left=left)
    failed = (info > 0).unsqueeze(-1)
    lines = B.dim() == 1 or (B.dim() == A.dim() - 1 and B.shape == A.shape[:-1])
    return result.masked_fill(failed if lines else failed.unsqueeze(-1), float("nan")), info
    draw A=w[N,N] B==[N,M] left=True

prim::singular_sizes(Tensor self, bool hermitian) -> Tensor
    return torch.linalg_eigvalsh(self).abs() if hermitian else torch.linalg_svdvals(self)

prim::real_numbers(Tensor self) -> Tensor
    if self.dtype != torch.float32 and self.dtype != torch.float64:
        raise RuntimeError("linalg_matrix_rank takes float or double")
    return self

prim::rank_above(Tensor self, Tensor atol, Tensor? rtol, bool hermitian) -> Tensor
    if self.dim() < 2:
        raise RuntimeError("linalg_matrix_rank takes matrices")
    if self.numel() == 0:
        return torch.zeros(self.shape[:-2], dtype=torch.int64)
    sizes = torch.ops.prim.singular_sizes(self, hermitian)
    step = 2.220446049250313e-16 if self.dtype == torch.float64 else 1.1920928955078125e-07
    usual = torch.where(
        atol > 0,
        torch.zeros_like(atol),
        torch.full_like(atol, step * max(self.shape[-1], self.shape[-2])),
    )
    share = usual if rtol is None else rtol
    least = torch.maximum(atol, share * sizes.amax([-1]))
    return torch.count_nonzero(sizes > least.unsqueeze(-1), -1)

aten::linalg_matrix_rank(Tensor self, float tol, bool hermitian=False) -> Tensor
    return torch.ops.prim.rank_above(
        self, torch.full([], tol, dtype=self.dtype), torch.zeros([], dtype=self.dtype), hermitian
    )

aten::linalg_matrix_rank.tol_tensor(Tensor input, Tensor tol, bool hermitian=False) -> Tensor
    return torch.ops.prim.rank_above(input, tol, torch.zeros_like(tol), hermitian)

aten::linalg_matrix_rank.atol_rtol_float(Tensor self, *, float? atol=None, float? rtol=None,
                                         bool hermitian=False) -> Tensor
    least = torch.full(
        [], 0.0 if atol is None else atol, dtype=torch.ops.prim.real_numbers(self).dtype
    )
    if rtol is None:
        return torch.ops.prim.rank_above(self, least, None, hermitian)
    return torch.ops.prim.rank_above(self, least, torch.full([], rtol, dtype=self.dtype), hermitian)

aten::linalg_matrix_rank.atol_rtol_tensor(Tensor input, *, Tensor? atol=None, Tensor? rtol=None,
                                          bool hermitian=False) -> Tensor
    least = torch.zeros([], dtype=input.dtype) if atol is None else atol
    return torch.ops.prim.rank_above(torch.ops.prim.real_numbers(input), least, rtol, hermitian)

prim::infinite_for_nan(Tensor self) -> Tensor
    return torch.where(self != self, torch.full_like(self, float("inf")), self)

aten::linalg_cond(Tensor self, Scalar? p=None) -> Tensor
    order = 2.0 if p is None else float(p)
    if self.dim() < 2:
        raise RuntimeError("linalg_cond takes matrices")
    if abs(order) != 1.0 and abs(order) != 2.0 and abs(order) != float("inf"):
        raise RuntimeError("linalg_cond: the order is 1, 2 or inf, their negatives, 'fro' or 'nuc'")
    if self.numel() == 0:
        return torch.zeros(self.shape[:-2], dtype=self.dtype)
    if abs(order) == 2.0:
        sizes = torch.linalg_svdvals(self)
        most, least = sizes.select(-1, 0), sizes.select(-1, -1)
        return most / least if order > 0.0 else least / most
    if self.shape[-1] != self.shape[-2]:
        raise RuntimeError("linalg_cond takes square matrices where the order is not 2 or -2")
    inverse = torch.ops.aten.linalg_inv_ex(self)[0]
    return torch.ops.prim.infinite_for_nan(
        torch.linalg_matrix_norm(self, order) * torch.linalg_matrix_norm(inverse, order)
    )

aten::linalg_cond.p_str(Tensor self, str p) -> Tensor
    if self.dim() < 2 or self.shape[-1] != self.shape[-2]:
        raise RuntimeError("linalg_cond takes square matrices where the order is not 2 or -2")
    if p != "fro" and p != "nuc":
        raise RuntimeError(f"linalg_cond: the order is a number, 'fro' or 'nuc', got '{p}'")
    if self.numel() == 0:
        return torch.zeros(self.shape[:-2], dtype=self.dtype)
    if p == "nuc":
        sizes = torch.linalg_svdvals(self)
        return sizes.sum([-1]) * (1 / sizes).sum([-1])
    inverse = torch.ops.aten.linalg_inv_ex(self)[0]
    return torch.ops.prim.infinite_for_nan(
        torch.linalg_matrix_norm(self, p) * torch.linalg_matrix_norm(inverse, p)
    )
    draw self=w[1,1]{1..9} p=fro|nuc

aten::linalg_tensorinv(Tensor self, int ind=2) -> Tensor
    if ind <= 0:
        raise RuntimeError("linalg_tensorinv: ind is at least 1")
    rows: List[int] = self.shape[:ind]
    columns: List[int] = self.shape[ind:]
    n = 1
    for size in columns:
        n = n * size
    return torch.linalg_inv(self.reshape([n, n])).reshape(columns + rows)
    draw self=w[N,N] ind=1

aten::linalg_tensorsolve(Tensor self, Tensor other, int[]? dims=None) -> Tensor
    a = self
    if dims is not None:
        gone = [d % self.dim() for d in dims]
        a = self.permute([d for d in range(self.dim()) if d not in gone] + gone)
    shape: List[int] = a.shape[other.dim():]
    return torch.linalg_solve(a.reshape([other.numel(), -1]), other.reshape([-1])).reshape(shape)

aten::linalg_vander(Tensor x, *, int? N=None) -> Tensor
    if x.dtype == torch.bool or x.dtype == torch.float16 or x.dtype == torch.bfloat16:
        raise RuntimeError("linalg_vander takes float, double and integers")
    count = N if N is not None else (x.shape[-1] if x.dim() > 0 else 1)
    if count <= 1:
        raise RuntimeError("linalg_vander: N is more than 1")
    line = x if x.is_floating_point() else x.to(torch.int64)
    line = line if x.dim() > 0 else line.reshape([1])
    ones = torch.ones_like(line).unsqueeze(-1)
    return torch.cat([ones, line.unsqueeze(-1).expand(line.shape + [count - 1]).cumprod(-1)], -1)

aten::linalg_matrix_exp(Tensor self) -> Tensor
    if self.dim() < 2 or self.shape[-1] != self.shape[-2]:
        raise RuntimeError("linalg_matrix_exp takes square matrices")
    if not self.is_floating_point():
        raise RuntimeError("linalg_matrix_exp takes floats")
    if self.numel() == 0:
        return self.clone()
    a = self.to(torch.float64)
    n = a.shape[-1]
    size = a.abs().sum([-2]).amax().item()
    if not float(size) < float("inf"):
        return torch.full_like(self, float("nan"))
    halvings = 0
    while float(size) > 0.5:
        size = float(size) / 2.0
        halvings = halvings + 1
    a = a * (0.5 ** halvings)
    term = torch.eye(n, dtype=torch.float64).expand(a.shape)
    out = term
    for k in range(1, 16):
        term = term.matmul(a) / k
        out = out + term
    for k in range(halvings):
        out = out.matmul(out)
    return out.to(self.dtype)
    others terms 32 ulp

aten::matrix_exp(Tensor self) -> Tensor
    return torch.ops.aten.linalg_matrix_exp(self)
    others terms 32 ulp

aten::linalg_householder_product(Tensor input, Tensor tau) -> Tensor
    a = torch.ops.prim.as_doubles(input, False)
    m, n = input.shape[-2], input.shape[-1]
    if tau.dtype != input.dtype or tau.dim() != input.dim() - 1 or m < n or n < tau.shape[-1]:
        raise RuntimeError(
            "linalg_householder_product takes high matrices, and of their dtype a number for each "
            "of the first columns"
        )
    out = torch.eye(m, n, dtype=torch.float64).expand(input.shape).clone()
    below = torch.arange(m)
    for j in range(tau.shape[-1]):
        i = tau.shape[-1] - 1 - j
        v = a.select(-1, i).masked_fill(below < i, 0.0).masked_fill(below == i, 1.0).unsqueeze(-1)
        t = tau.to(torch.float64).select(-1, i).unsqueeze(-1).unsqueeze(-1)
        out = out - t * v * (v * out).sum([-2], True)
    return out.to(input.dtype)
    draw input=w[N,N] tau==[N]
    others reflections; terms 32 ulp

aten::orgqr(Tensor self, Tensor input2) -> Tensor
    return torch.ops.aten.linalg_householder_product(self, input2)
    draw self=w[N,N] input2==[N]
    others reflections; terms 32 ulp

prim::factor_lu(Tensor self, bool pivot) -> (Tensor, Tensor)
    if self.dim() < 2:
        raise RuntimeError("LU factors are those of matrices")
    m, n = self.shape[-2], self.shape[-1]
    if self.numel() > 0 and not pivot:
        raise RuntimeError("LU without pivoting is not there on the CPU")
    a = torch.ops.prim.batches(
        torch.ops.prim.as_doubles(self, False) if self.numel() > 0 else self.to(torch.float64)
    )
    pivots = (
        torch.arange(1, min(m, n) + 1, dtype=torch.int32).expand([a.shape[0], min(m, n)]).clone()
    )
    rows = torch.arange(m)
    columns = torch.arange(n)
    for i in range(min(m, n)):
        if a.numel() > 0:
            best = a.select(2, i).abs().masked_fill(rows < i, -1.0).argmax(1, True)
            pivots.select(1, i).copy_(best.squeeze(1) + 1)
            order = torch.where(
                rows == i, best, torch.where(rows == best, torch.full_like(best, i), rows)
            )
            a = a.gather(1, order.unsqueeze(2).expand([-1, -1, n]))
        top = a.narrow(1, i, 1).narrow(2, i, 1)
        column = a.select(2, i).unsqueeze(2)
        share = torch.where(top == 0, column, column / top)
        share = share.masked_fill((rows <= i).unsqueeze(1), 0.0)
        a = torch.where(
            (columns == i) & (rows > i).unsqueeze(1),
            share,
            a - share * a.narrow(1, i, 1).masked_fill(columns <= i, 0.0),
        )
    return a.reshape(self.shape).to(self.dtype), pivots.reshape(self.shape[:-2] + [min(m, n)])

prim::first_zero(Tensor lu) -> Tensor
    if lu.numel() == 0:
        return torch.ops.prim.no_failures(lu)
    zero = lu.diagonal(0, -2, -1) == 0
    first = zero.to(torch.int32).argmax(-1) + 1
    return torch.where(zero.any(-1), first, torch.zeros_like(first)).to(torch.int32)

aten::linalg_lu_factor(Tensor A, *, bool pivot=True) -> (Tensor LU, Tensor pivots)
    lu, pivots, info = torch.ops.aten.linalg_lu_factor_ex(A, pivot=pivot, check_errors=True)
    return lu, pivots
    peers gradient: of matrices that are not square

aten::linalg_lu_factor_ex(Tensor A, *, bool pivot=True, bool check_errors=False) -> (Tensor LU,
                          Tensor pivots, Tensor info)
    lu, pivots = torch.ops.prim.factor_lu(A, pivot)
    info = torch.ops.prim.first_zero(lu)
    if check_errors and bool((info > 0).any()):
        raise RuntimeError("linalg_lu_factor: a number on the diagonal of U is zero")
    return lu, pivots, info
    peers gradient: of matrices that are not square

aten::_lu_with_info(Tensor self, bool pivot=True, bool check_errors=True) -> (Tensor LU,
                    Tensor pivots, Tensor info)
    lu, pivots = torch.ops.prim.factor_lu(self, pivot)
    return lu, pivots, torch.ops.prim.first_zero(lu)

prim::row_order(Tensor pivots, int m) -> Tensor
    order = torch.arange(m).expand(pivots.shape[:-1] + [m]).clone()
    for i in range(pivots.shape[-1]):
        pivot = (pivots.select(-1, i).to(torch.int64) - 1).unsqueeze(-1)
        first = order.narrow(-1, i, 1).clone()
        order.narrow(-1, i, 1).copy_(order.gather(-1, pivot))
        order = order.scatter(-1, pivot, first)
    return order

aten::lu_unpack(Tensor LU_data, Tensor LU_pivots, bool unpack_data=True,
                bool unpack_pivots=True) -> (Tensor P, Tensor L, Tensor U)
    m, n = LU_data.shape[-2], LU_data.shape[-1]
    k = min(m, n)
    none = torch.zeros([0], dtype=LU_data.dtype)
    p, lower, upper = none, none, none
    if unpack_pivots:
        if LU_pivots.dtype != torch.int32:
            raise RuntimeError("lu_unpack takes pivots of int32")
        order = torch.ops.prim.row_order(LU_pivots, m)
        p = (torch.arange(m).unsqueeze(1) == order.unsqueeze(-2)).to(LU_data.dtype)
    if unpack_data:
        lower = LU_data.narrow(-1, 0, k).tril(-1) + torch.eye(m, k, dtype=LU_data.dtype)
        upper = LU_data.narrow(-2, 0, k).triu()
    return p, lower, upper

aten::linalg_lu(Tensor A, *, bool pivot=True) -> (Tensor P, Tensor L, Tensor U)
    lu, pivots = torch.ops.prim.factor_lu(A, pivot)
    return torch.ops.aten.lu_unpack(lu, pivots, True, pivot)

aten::linalg_lu_solve(Tensor LU, Tensor pivots, Tensor B, *, bool left=True,
                      bool adjoint=False) -> Tensor
    p, lower, upper = torch.ops.aten.lu_unpack(LU, pivots)
    whole = p.to(torch.float64).matmul(lower.to(torch.float64)).matmul(upper.to(torch.float64))
    if adjoint:
        whole = whole.transpose(-2, -1)
    return torch.linalg_solve(whole, B.to(torch.float64), left=left).to(B.dtype)
    draw LU=w[1,1]{1..9} pivots=h[1]{1..1} B==[1,M] left=True

aten::lu_solve(Tensor self, Tensor LU_data, Tensor LU_pivots) -> Tensor
    return torch.ops.aten.linalg_lu_solve(LU_data, LU_pivots, self)
    draw self=w[1,M] LU_data==[1,1]{1..9} LU_pivots=h[1]{1..1}
