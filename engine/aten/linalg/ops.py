# Systems of linear equations, and what matrices are products of.
#
# Computed in double and rounded at the end. Singular and eigenvectors are right up to their signs,
# as in LAPACK. Singular values come from one-sided Jacobi rotations (Demmel, Veselic 1992), which
# lose no relative accuracy; the eigenvectors of a symmetric matrix are the singular vectors of
# that matrix plus a large multiple of the unit.

prim::cofactors(Tensor A, Tensor det) -> Tensor
    if not bool((det == 0).any()):
        return det.unsqueeze(-1).unsqueeze(-1) * torch.linalg.inv(A).mT
    u, s, vh = torch.linalg.svd(A)
    n = s.shape[-1]
    own = torch.eye(n, dtype=torch.bool)
    others = s.unsqueeze(-2).expand(s.shape + [n]).masked_fill(own, 1).prod(-1)
    sign = (torch.linalg.det(u) * torch.linalg.det(vh)).unsqueeze(-1).unsqueeze(-1)
    return sign * torch.matmul(u * others.unsqueeze(-2), vh)

prim::svd_gradient(Tensor gu, Tensor gs, Tensor gvh, Tensor u, Tensor s, Tensor vh) -> Tensor
    k = s.size(-1)
    u = u.narrow(-1, 0, k)
    gu = gu.narrow(-1, 0, k)
    v = vh.narrow(-2, 0, k).mT
    gv = gvh.narrow(-2, 0, k).mT
    own = torch.eye(k, dtype=torch.bool)
    squares = s * s
    gap = (squares.unsqueeze(-2) - squares.unsqueeze(-1)).masked_fill(own, float("inf"))
    left = torch.matmul(u.mT, gu)
    right = torch.matmul(v.mT, gv)
    middle = (left - left.mT) / gap * s.unsqueeze(-2) + s.unsqueeze(-1) * ((right - right.mT) / gap)
    whole = torch.matmul(u, torch.matmul(middle + torch.diag_embed(gs), v.mT))
    outside_u = (gu - torch.matmul(u, left)) / s.unsqueeze(-2)
    outside_v = (gv - torch.matmul(v, right)) / s.unsqueeze(-2)
    return whole + torch.matmul(outside_u, v.mT) + torch.matmul(u, outside_v.mT)
    slopes any basis

prim::cholesky_gradient(Tensor grad, Tensor result, bool upper) -> Tensor
    lower = result.mT if upper else result
    own = torch.matmul(lower.mT, grad.mT if upper else grad)
    middle = (own.tril() + own.tril(-1)) * 0.5
    right = torch.ops.aten.linalg_solve_triangular(lower.mT, middle, upper=True)
    whole = torch.ops.aten.linalg_solve_triangular(lower, right, upper=False, left=False)
    return (whole + whole.mT) * 0.5

prim::as_doubles(Tensor self, bool square) -> Tensor
    if self.dim() < 2 or (square and self.shape[-1] != self.shape[-2]):
        raise RuntimeError("square matrices are wanted" if square else "matrices are wanted")
    if self.dtype != torch.float32 and self.dtype != torch.float64:
        raise RuntimeError("matrices of float or double are wanted")
    return self.to(torch.float64)

prim::as_shape(Tensor self, int[] shape, ScalarType dtype) -> Tensor
    return torch.zeros(shape, dtype=dtype).copy_(self.reshape(shape))

prim::batches(Tensor self) -> Tensor
    count = 1
    for size in self.shape[:-2]:
        count = count * size
    return self.reshape([count, self.shape[-2], self.shape[-1]])

prim::solve(Tensor self, Tensor right) -> Tensor
    n = self.shape[-1]
    if right.dim() < 2 or right.shape[-2] != n:
        raise RuntimeError("linalg_solve: the right sides are as long as the matrix")
    shape = torch._infer_size(self.shape[:-2], right.shape[:-2])
    out, det, singular = torch.ops.prim.eliminate(
        self.expand(shape + [n, n]).contiguous(),
        right.expand(shape + [n, right.shape[-1]]).contiguous(),
    )
    if singular:
        raise RuntimeError("linalg_solve: the matrix is singular")
    return out

aten::linalg_solve(Tensor A, Tensor B, *, bool left=True) -> Tensor
    if A.dim() < 2 or A.dtype != B.dtype or A.shape[-1] != A.shape[-2]:
        raise RuntimeError("linalg_solve takes square matrices and right sides of their dtype")
    if B.dim() == 1 or (B.dim() == A.dim() - 1 and B.shape == A.shape[:-1]):
        return torch.ops.prim.solve(A, B.unsqueeze(-1)).squeeze(-1)
    if left:
        return torch.ops.prim.solve(A, B)
    return torch.ops.prim.solve(A.transpose(-2, -1), B.transpose(-2, -1)).transpose(-2, -1)
    draw A=w[N,N] B==[N,M] left=True

aten::linalg_slogdet(Tensor A) -> (Tensor sign, Tensor logabsdet)
    factors, pivots = torch.ops.prim.factor_lu(torch.ops.prim.as_doubles(A, True), True)
    diagonal = factors.diagonal(0, -2, -1)
    swaps = (pivots != torch.arange(1, A.shape[-1] + 1, dtype=torch.int32)).sum([-1])
    sign = diagonal.sign().prod(-1) * (1 - 2 * (swaps % 2))
    return sign.to(A.dtype), diagonal.abs().log().sum([-1]).to(A.dtype)
    gradient A: grad1.unsqueeze(-1).unsqueeze(-1) * torch.linalg.inv(A).mT
    draw A=w[*,N,N]

aten::slogdet(Tensor self) -> (Tensor sign, Tensor logabsdet)
    return torch.linalg_slogdet(self)
    gradient self: grad1.unsqueeze(-1).unsqueeze(-1) * torch.linalg.inv(self).mT
    draw self=w[*,N,N]

prim::lower_factor(Tensor self) -> (Tensor factor, Tensor info)
    a = torch.ops.prim.batches(torch.ops.prim.as_doubles(self, True))
    n = a.shape[-1]
    out = torch.zeros_like(a)
    info = torch.zeros([a.shape[0], 1], dtype=torch.int32)
    columns: List[Tensor] = []
    for i in range(n):
        left = out.narrow(1, i, n - i)
        column = a.select(2, i).narrow(1, i, n - i) - (left * left.narrow(1, 0, 1)).sum([2])
        top = column.narrow(1, 0, 1)
        if not bool((top > 0).all()):
            info = torch.where((top > 0) | (info > 0), info, torch.full_like(info, i + 1))
            column = column.masked_fill(info > 0, float("nan"))
            top = column.narrow(1, 0, 1)
        columns.append(
            torch.cat([torch.zeros([a.shape[0], i], dtype=torch.float64), column / top.sqrt()], 1)
        )
        rest = torch.zeros([a.shape[0], n, n - i - 1], dtype=torch.float64)
        out = torch.cat([torch.stack(columns, 2), rest], 2)
    return out.reshape(self.shape).to(self.dtype), info.reshape(self.shape[:-2])

prim::lower_factor_of_definite(Tensor self) -> Tensor
    factor, info = torch.ops.prim.lower_factor(self)
    if bool((info > 0).any()):
        raise RuntimeError("cholesky: the matrix is not positive-definite")
    return factor

aten::linalg_cholesky(Tensor self, *, bool upper=False) -> Tensor
    if upper:
        return torch.ops.prim.lower_factor_of_definite(self.transpose(-2, -1)).transpose(-2, -1)
    return torch.ops.prim.lower_factor_of_definite(self)
    gradient self: torch.ops.prim.cholesky_gradient(grad, result, upper)
    draw self=w[*,1,1]{1..9}
    peers gradient: of one half of a matrix
    slopes symmetric

aten::linalg_cholesky_ex(Tensor self, *, bool upper=False, bool check_errors=False) -> (Tensor L,
                         Tensor info)
    factor, info = torch.ops.prim.lower_factor(self.transpose(-2, -1) if upper else self)
    if check_errors and bool((info > 0).any()):
        raise RuntimeError("linalg_cholesky_ex: the matrix is not positive-definite")
    return factor.transpose(-2, -1) if upper else factor, info
    gradient self: torch.ops.prim.cholesky_gradient(grad0, result0, upper)
    draw self=w[*,1,1]{1..9}
    peers gradient: of one half of a matrix
    slopes symmetric

aten::cholesky(Tensor self, bool upper=False) -> Tensor
    return torch.linalg_cholesky(self, upper=upper)
    gradient self: torch.ops.prim.cholesky_gradient(grad, result, upper)
    draw self=w[*,1,1]{1..9}
    peers gradient: of one half of a matrix
    slopes symmetric

aten::cholesky_solve(Tensor self, Tensor input2, bool upper=False) -> Tensor
    factor = input2.triu() if upper else input2.tril()
    other = factor.transpose(-2, -1)
    return torch.linalg_solve(other.matmul(factor) if upper else factor.matmul(other), self)
    draw self=w[N,M] input2==[N,N]{1..9}
    peers gradient: flows back to the half that is not read

aten::cholesky_inverse(Tensor self, bool upper=False) -> Tensor
    factor = self.triu() if upper else self.tril()
    other = factor.transpose(-2, -1)
    return torch.linalg_inv(other.matmul(factor) if upper else factor.matmul(other))
    draw self=w[N,N]{1..9}
    peers gradient: flows back to the half that is not read

aten::linalg_solve_triangular(Tensor self, Tensor B, *, bool upper, bool left=True,
                              bool unitriangular=False) -> Tensor
    if self.dim() < 2 or B.dim() < 2:
        raise RuntimeError("linalg_solve_triangular takes matrices")
    half = self.triu() if upper else self.tril()
    if unitriangular:
        unit = torch.eye(self.shape[-1], dtype=self.dtype)
        half = half * (1 - unit) + unit
    return torch.linalg_solve(half, B, left=left)
    draw self=w[N,N] B==[N,M] left=True
    others not finite

aten::triangular_solve(Tensor self, Tensor A, bool upper=True, bool transpose=False,
                       bool unitriangular=False) -> (Tensor solution, Tensor cloned_coefficient)
    m = A.transpose(-2, -1) if transpose else A
    return (
        torch.linalg_solve_triangular(
            m, self, upper=upper != transpose, unitriangular=unitriangular
        ),
        A.clone(),
    )
    draw self=w[N,M] A==[N,N]
    others not finite

prim::householder_qr(Tensor self, bool complete) -> (Tensor, Tensor)
    a = torch.ops.prim.batches(torch.ops.prim.as_doubles(self, False))
    m, n = a.shape[1], a.shape[2]
    q = torch.eye(m, dtype=torch.float64).expand([a.shape[0], m, m])
    rows = torch.arange(m)
    for i in range(min(m, n)):
        x = a.select(2, i).masked_fill(rows < i, 0.0)
        top = x.narrow(1, i, 1)
        flat = x.masked_fill(rows == i, 0.0).abs().amax([1], True) == 0
        length = torch.where(top < 0, -(x * x).sum([1], True).sqrt(), (x * x).sum([1], True).sqrt())
        v = torch.where(rows == i, x + length, x)
        v = torch.where(flat, torch.zeros_like(v), v)
        v = v / torch.where(flat, torch.ones_like(length), (v * v).sum([1], True).sqrt())
        a = a - 2 * v.unsqueeze(2) * v.unsqueeze(1).matmul(a)
        q = q - 2 * q.matmul(v.unsqueeze(2)) * v.unsqueeze(1)
    k = m if complete else min(m, n)
    shape = self.shape[:-2]
    return q.narrow(2, 0, k).reshape(shape + [m, k]), a.narrow(1, 0, k).triu().reshape(
        shape + [k, n]
    )

aten::linalg_qr(Tensor A, str mode="reduced") -> (Tensor Q, Tensor R)
    if mode != "reduced" and mode != "complete" and mode != "r":
        raise RuntimeError("linalg_qr: the mode is reduced, complete or r")
    q, r = torch.ops.prim.householder_qr(A, mode == "complete")
    return torch.empty([0], dtype=A.dtype) if mode == "r" else q.to(A.dtype), r.to(A.dtype)
    draw A=w[N,M]{-3..3} N=1..4 M=1..4

aten::qr(Tensor self, bool some=True) -> (Tensor Q, Tensor R)
    return torch.linalg_qr(self, "reduced" if some else "complete")
    draw self=w[N,M]{-3..3} N=1..4 M=1..4

prim::jacobi_svd(Tensor self) -> (Tensor, Tensor, Tensor)
    m, n = self.shape[1], self.shape[2]
    us: List[Tensor] = []
    vs: List[Tensor] = []
    unit = torch.eye(n, dtype=torch.float64).expand([self.shape[0], n, n])
    for i in range(n):
        us.append(self.select(2, i))
        vs.append(unit.select(2, i))
    sweeps = 0
    moved = True
    while moved and sweeps < 60:
        moved = False
        sweeps += 1
        for p in range(n):
            for k in range(n - p - 1):
                r = p + k + 1
                x, y = us[p], us[r]
                both = (x * y).sum([1], True)
                a, b = (x * x).sum([1], True), (y * y).sum([1], True)
                rotates = both.abs() > 1e-15 * a.sqrt() * b.sqrt()
                if bool(rotates.any()):
                    moved = True
                    ratio = (b - a) / torch.where(rotates, 2 * both, torch.ones_like(both))
                    way = torch.where(ratio < 0, -torch.ones_like(ratio), torch.ones_like(ratio))
                    t = torch.where(
                        rotates,
                        way / (ratio.abs() + (1 + ratio * ratio).sqrt()),
                        torch.zeros_like(ratio),
                    )
                    c = 1 / (1 + t * t).sqrt()
                    s = c * t
                    us[p], us[r] = c * x - s * y, s * x + c * y
                    vs[p], vs[r] = c * vs[p] - s * vs[r], s * vs[p] + c * vs[r]
    if n == 0:
        return self, torch.zeros([self.shape[0], 0], dtype=torch.float64), unit
    u, v = torch.stack(us, 2), torch.stack(vs, 2)
    length, order = (u * u).sum([1]).sqrt().sort(1, True)
    u = u.gather(2, order.unsqueeze(1).expand([-1, m, -1])) / torch.where(
        length == 0, torch.ones_like(length), length
    ).unsqueeze(1)
    return u, length, v.gather(2, order.unsqueeze(1).expand([-1, n, -1]))
    gradient unknown

prim::complete_basis(Tensor self, Tensor length, int columns) -> Tensor
    q, r = torch.ops.prim.householder_qr(self, True)
    sign = torch.where(r.diagonal(0, 1, 2) < 0, -torch.ones_like(length), torch.ones_like(length))
    rest = torch.ones([sign.shape[0], q.shape[2] - sign.shape[1]], dtype=torch.float64)
    return (q * torch.cat([sign, rest], 1).unsqueeze(1)).narrow(2, 0, columns)

aten::linalg_svd(Tensor A, bool full_matrices=True, *, str? driver=None) -> (Tensor U, Tensor S,
                 Tensor Vh)
    a = torch.ops.prim.batches(torch.ops.prim.as_doubles(A, False))
    if not bool(a.isfinite().all()):
        raise RuntimeError("linalg_svd takes finite numbers")
    m, n = a.shape[1], a.shape[2]
    wide = m < n
    u, length, v = torch.ops.prim.jacobi_svd(a.transpose(1, 2) if wide else a)
    k = max(m, n) if full_matrices else min(m, n)
    u = torch.ops.prim.complete_basis(u, length, k)
    left, right = (v, u) if wide else (u, v)
    shape = A.shape[:-2]
    return (
        torch.ops.prim.as_shape(left, shape + [m, min(m, k)], A.dtype),
        torch.ops.prim.as_shape(length, shape + [min(m, n)], A.dtype),
        torch.ops.prim.as_shape(right.transpose(1, 2), shape + [min(n, k), n], A.dtype),
    )
    gradient A: torch.ops.prim.svd_gradient(grad0, grad1, grad2, result0, result1, result2)
    draw A=w[N,M]{-3..3} N=1..4 M=1..4
    peers gradient: singular vectors of a zero are anything
    slopes any basis

aten::linalg_svdvals(Tensor A, *, str? driver=None) -> Tensor
    return torch.linalg_svd(A, False)[1]
    gradient A:
        u, s, vh = torch.linalg.svd(A, False)
        return torch.matmul(u * grad.unsqueeze(-2), vh)
    draw A=w[N,M]{-3..3} N=1..4 M=1..4

aten::svd(Tensor self, bool some=True, bool compute_uv=True) -> (Tensor U, Tensor S, Tensor V)
    u, s, vh = torch.linalg_svd(self, not some)
    if compute_uv:
        return u, s, vh.transpose(-2, -1)
    m, n = self.shape[-2], self.shape[-1]
    return self.new_zeros(self.shape[:-2] + [m, m]), s, self.new_zeros(self.shape[:-2] + [n, n])
    draw self=w[N,M]{-3..3} N=1..4 M=1..4
    peers gradient: singular vectors of a zero are anything
    slopes any basis

aten::linalg_eigh(Tensor self, str UPLO="L") -> (Tensor eigenvalues, Tensor eigenvectors)
    if UPLO.upper() != "L" and UPLO.upper() != "U":
        raise RuntimeError("linalg_eigh: UPLO is L or U")
    a = torch.ops.prim.batches(torch.ops.prim.as_doubles(self, True))
    if not bool(a.isfinite().all()):
        raise RuntimeError("linalg_eigh takes finite numbers")
    n = a.shape[-1]
    half = a.tril(-1) if UPLO.upper() == "L" else a.triu(1).transpose(1, 2)
    unit = torch.eye(n, dtype=torch.float64)
    whole = half + half.transpose(1, 2) + a * unit
    shift = 2 * (whole * whole).sum([1, 2], True).sqrt()
    shift = torch.where(shift == 0, torch.ones_like(shift), shift)
    u, length, v = torch.ops.prim.jacobi_svd(whole + shift * unit)
    values = (length - shift.squeeze(2)).flip([1])
    return torch.ops.prim.as_shape(values, self.shape[:-1], self.dtype), torch.ops.prim.as_shape(
        v.flip([2]), self.shape, self.dtype
    )
    gradient self:
        own = torch.eye(result0.size(-1), dtype=torch.bool)
        gap = (result0.unsqueeze(-2) - result0.unsqueeze(-1)).masked_fill(own, float("inf"))
        middle = torch.matmul(result1.mT, grad1) / gap + torch.diag_embed(grad0)
        return torch.matmul(result1, torch.matmul(middle, result1.mT))
    draw self=w[N,N]{-3..3} N=1..4
    peers gradient: of one half of a matrix
    slopes asymmetric

aten::linalg_eigvalsh(Tensor self, str UPLO="L") -> Tensor
    return torch.linalg_eigh(self, UPLO)[0]
    gradient self:
        v = torch.linalg.eigh(self, UPLO)[1]
        return torch.matmul(v * grad.unsqueeze(-2), v.mT)
    draw self=w[N,N]{-3..3} N=1..4
    peers gradient: of one half of a matrix
    slopes symmetric

aten::linalg_pinv(Tensor self, float rcond, bool hermitian=False) -> Tensor
    if hermitian:
        values, vectors = torch.linalg_eigh(self)
        sizes = values.abs()
        most = sizes.amax([-1], True) if values.shape[-1] > 0 else sizes
        share = torch.where(sizes > rcond * most, 1 / values, torch.zeros_like(values))
        return (vectors * share.unsqueeze(-2)).matmul(vectors.transpose(-2, -1))
    u, s, vh = torch.linalg_svd(self, False)
    most = s.amax([-1], True) if s.shape[-1] > 0 else s
    kept = torch.where(s > rcond * most, 1 / s, torch.zeros_like(s))
    return vh.transpose(-2, -1).matmul(kept.unsqueeze(-1) * u.transpose(-2, -1))
    draw self=w[N,M]{-3..3} N=1..3 M=1..3 rcond=0.0|1e-3 hermitian=False
    peers gradient when drops values: as if no singular value were dropped

aten::linalg_pinv.atol_rtol_float(Tensor self, *, float? atol=None, float? rtol=None,
                                  bool hermitian=False) -> Tensor
    if atol is not None and atol > 0.0:
        raise RuntimeError("linalg_pinv takes rtol, not atol")
    least = 2.220446049250313e-16 if self.dtype == torch.float64 else 1.1920928955078125e-07
    return torch.linalg_pinv(
        self, least * max(self.shape[-1], self.shape[-2]) if rtol is None else rtol, hermitian
    )
    draw self=w[N,M]{-3..3} N=1..3 M=1..3 atol=?0.0|1e-3 rtol=?0.0|1e-3 hermitian=False
    peers gradient when drops values: as if no singular value were dropped

aten::pinverse(Tensor self, float rcond=1.0000000000000001e-15) -> Tensor
    return torch.linalg_pinv(self, rcond)
    draw self=w[N,M]{-3..3} N=1..3 M=1..3
    peers gradient when drops values: as if no singular value were dropped

aten::linalg_multi_dot(Tensor[] tensors) -> Tensor
    if len(tensors) < 2:
        raise RuntimeError("linalg_multi_dot takes two tensors or more")
    out = tensors[0]
    for i in range(len(tensors) - 1):
        out = out.matmul(tensors[i + 1])
    return out
    draw tensors=(w[A,B];=[B,C];=[C,D])|(w[A,B];=[B])
    others any association

aten::linalg_vecdot(Tensor x, Tensor y, *, int dim=-1) -> Tensor
    return (x * y).sum([dim])
    draw x=f[*,N] y==[*,N] dim=-1

aten::linalg_matrix_norm(Tensor self, Scalar ord, int[] dim=[-2, -1], bool keepdim=False, *,
                         ScalarType? dtype=None) -> Tensor
    x = self if dtype is None else self.to(dtype)
    size = abs(float(ord))
    if size != 1.0 and size != 2.0 and size != float("inf"):
        raise RuntimeError("linalg_matrix_norm: the order is 1, 2 or inf, or their negatives")
    if len(dim) != 2 or x.dim() < 2 or dim[0] % x.dim() == dim[1] % x.dim():
        raise RuntimeError("linalg_matrix_norm takes two different dims")
    if max(dim) >= x.dim() or min(dim) < -x.dim():
        raise IndexError(f"dims of linalg_matrix_norm lie from {-x.dim()} to {x.dim() - 1}")
    rows, columns = dim[0] % x.dim(), dim[1] % x.dim()
    if x.shape[rows] * x.shape[columns] == 0 and float(ord) > 0.0:
        return x.sum([rows, columns], keepdim)
    if size == 2.0:
        lines = torch.linalg_svdvals(x.movedim([rows, columns], [-2, -1]))
        out = lines.amax([-1]) if float(ord) > 0.0 else lines.amin([-1])
        return out.unsqueeze(min(rows, columns)).unsqueeze(max(rows, columns)) if keepdim else out
    first = rows if size == 1.0 else columns
    second = columns if size == 1.0 else rows
    sums = x.abs().sum([first], True)
    out = sums.amax([second], True) if float(ord) > 0.0 else sums.amin([second], True)
    return out if keepdim else out.squeeze(max(rows, columns)).squeeze(min(rows, columns))
    draw self=w[*,N,M]{-3..3} N=1..3 M=1..3 ord=1|2|-1|-2 dim=<-2,-1> dtype=None

aten::linalg_matrix_norm.str_ord(Tensor self, str ord="fro", int[] dim=[-2, -1], bool keepdim=False,
                                 *, ScalarType? dtype=None) -> Tensor
    x = self if dtype is None else self.to(dtype)
    if ord == "nuc":
        return torch.nuclear_norm(x, dim, keepdim)
    if ord != "fro" or len(dim) != 2 or x.dim() < 2:
        raise RuntimeError("linalg_matrix_norm takes the order 'fro' or 'nuc', and two dims")
    return x.norm(2, dim, keepdim)
    draw self=w[*,N,M]{-3..3} N=1..3 M=1..3 ord=fro|nuc dim=<-2,-1> dtype=None

aten::nuclear_norm(Tensor self, bool keepdim=False) -> Tensor
    if self.dim() != 2:
        raise RuntimeError("nuclear_norm takes a matrix")
    return torch.nuclear_norm(self, [0, 1], keepdim)
    draw self=w[N,M]{-3..3} N=1..3 M=1..3

aten::nuclear_norm.dim(Tensor self, int[2] dim, bool keepdim=False) -> Tensor
    if len(dim) != 2 or self.dim() < 2:
        raise RuntimeError("nuclear_norm takes two dims")
    if max(dim) >= self.dim() or min(dim) < -self.dim():
        raise IndexError(f"dims of nuclear_norm lie from {-self.dim()} to {self.dim() - 1}")
    rows, columns = dim[0] % self.dim(), dim[1] % self.dim()
    if rows == columns:
        raise RuntimeError("nuclear_norm takes two different dims")
    out = torch.linalg_svdvals(self.movedim([rows, columns], [-2, -1])).sum([-1])
    return out.unsqueeze(min(rows, columns)).unsqueeze(max(rows, columns)) if keepdim else out
    draw self=w[B,N,M]{-3..3} N=1..3 M=1..3 dim=<1,2>|<0,2>|<-1,0>

aten::nuclear_norm.out(Tensor self, bool keepdim=False, *, Tensor(a!) out) -> Tensor(a!)
    return torch.ops.prim.write_to(out, torch.nuclear_norm(self, keepdim), "nuclear_norm")
    draw self=w[N,M]{-3..3} N=1..3 M=1..3 keepdim=False out==[]

aten::nuclear_norm.dim_out(Tensor self, int[2] dim, bool keepdim=False, *,
                           Tensor(a!) out) -> Tensor(a!)
    return torch.ops.prim.write_to(out, torch.nuclear_norm(self, dim, keepdim), "nuclear_norm")
    draw self=w[B,N,M]{-3..3} N=1..3 M=1..3 dim=<1,2> keepdim=False out==[B]

aten::linalg_matrix_power(Tensor self, int n) -> Tensor
    if self.dim() < 2 or self.shape[-1] != self.shape[-2]:
        raise RuntimeError("matrix_power takes square matrices")
    base = self if n >= 0 else torch.linalg_inv(self)
    left = abs(n)
    if left == 0:
        return torch.eye(self.shape[-1], dtype=self.dtype).expand(self.shape).clone()
    while left % 2 == 0:
        base = base.matmul(base)
        left = left // 2
    out = base.clone()
    left = left // 2
    while left > 0:
        base = base.matmul(base)
        if left % 2 == 1:
            out = out.matmul(base)
        left = left // 2
    return out
    draw self=w[*,N,N] n=-2..4

prim::eliminate(Tensor self, Tensor right) -> (Tensor, Tensor, bool)
    if self.dim() < 2 or self.shape[-1] != self.shape[-2]:
        raise RuntimeError("square matrices are wanted")
    if self.dtype != torch.float32 and self.dtype != torch.float64:
        raise RuntimeError("matrices of float or double are wanted")
    n = self.shape[-1]
    count = 1
    for size in self.shape[:-2]:
        count = count * size
    a = self.reshape([count, n, n]).to(torch.float64)
    b = right.reshape([count, n, right.shape[-1]]).to(torch.float64)
    det = torch.ones([a.shape[0]], dtype=torch.float64)
    rows = torch.arange(n)
    singular = False
    for i in range(n):
        size = a.select(2, i).abs().masked_fill(rows < i, -1.0)
        best = size.argmax(1, True)
        order = torch.where(
            rows == i, best, torch.where(rows == best, torch.full_like(best, i), rows)
        )
        a = a.gather(1, order.unsqueeze(2).expand([-1, -1, n]))
        b = b.gather(1, order.unsqueeze(2).expand([-1, -1, b.shape[2]]))
        pivot = a.select(1, i).select(1, i)
        singular = singular or bool((pivot == 0).any())
        det = det * torch.where(best.squeeze(1) == i, pivot, -pivot)
        factor = (a.select(2, i) / pivot.unsqueeze(1)).masked_fill(rows == i, 0.0)
        factor = factor.masked_fill((pivot == 0).unsqueeze(1), 0.0)
        a = a - factor.unsqueeze(2) * a.narrow(1, i, 1)
        b = b - factor.unsqueeze(2) * b.narrow(1, i, 1)
    b = b / a.diagonal(0, 1, 2).unsqueeze(2)
    return (
        b.reshape(right.shape).to(self.dtype),
        det.reshape(self.shape[:-2]).to(self.dtype),
        singular,
    )

aten::linalg_det(Tensor A) -> Tensor
    return torch.ops.prim.eliminate(A, torch.zeros_like(A))[1]
    gradient A: grad.unsqueeze(-1).unsqueeze(-1) * torch.ops.prim.cofactors(A, result)
    draw A=w[*,N,N]
    peers gradient when singular: zeros, where ours is made of cofactors

aten::linalg_inv(Tensor A) -> Tensor
    if A.dim() < 2:
        raise RuntimeError("inverse takes square matrices")
    unit = (
        torch.eye(A.shape[-1], dtype=A.dtype)
        .expand(A.shape[:-2] + [A.shape[-1], A.shape[-1]])
        .contiguous()
    )
    out, det, singular = torch.ops.prim.eliminate(A, unit)
    if singular:
        raise RuntimeError("inverse: the matrix is singular")
    return out
    gradient A: -torch.matmul(result.mT, torch.matmul(grad, result.mT))
    draw A=w[*,N,N]

aten::logdet(Tensor self) -> Tensor
    sign, size = torch.linalg_slogdet(self)
    return size.masked_fill(sign < 0, float("nan"))
    gradient self: grad.unsqueeze(-1).unsqueeze(-1) * torch.linalg.inv(self).mT
    draw self=w[*,N,N]

aten::vander(Tensor x, int? N=None, bool increasing=False) -> Tensor
    if x.dim() != 1:
        raise RuntimeError("vander takes a vector")
    columns = x.shape[0] if N is None else N
    if columns < 0:
        raise RuntimeError("vander: N is at least 0")
    whole = x if x.is_floating_point() else x.to(torch.int64)
    steps = torch.arange(columns)
    powers = whole.unsqueeze(1).expand([-1, columns]).masked_fill(steps == 0, 1).cumprod(1)
    return powers if increasing else powers.flip([1])

# Forms with `out=`: of one result that is never cast, or with names that results do not have.
aten::linalg_det, aten::linalg_inv, aten::linalg_solve, aten::linalg_svdvals, aten::linalg_vecdot,
aten::ormqr, aten::linalg_cholesky, aten::linalg_multi_dot, aten::lu_solve,
aten::linalg_solve_triangular, aten::linalg_matrix_norm, aten::linalg_matrix_norm.str_ord,
aten::linalg_eigvalsh
    out exact
aten::triangular_solve
    out X, M
aten::linalg_eigh
    out eigvals, eigvecs
aten::linalg_solve_ex
    out result, info
