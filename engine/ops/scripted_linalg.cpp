// Rows in the language: systems of linear equations, and what matrices are products of.
//
// Computed in double and rounded at the end. Singular and eigenvectors are right up to their signs,
// as in LAPACK. Singular values come from one-sided Jacobi rotations (Demmel, Veselic 1992), which
// lose no relative accuracy; the eigenvectors of a symmetric matrix are the singular vectors of
// that matrix plus a large multiple of the unit.
#include "engine/ops/composite.h"

namespace fusillade {
namespace {

constexpr std::string_view kText = R"py(
prim::as_doubles(Tensor self, bool square) -> Tensor
    if self.dim() < 2 or (square and self.shape[-1] != self.shape[-2]):
        raise RuntimeError("square matrices are wanted" if square else "matrices are wanted")
    if self.dtype != torch.float32 and self.dtype != torch.float64:
        raise RuntimeError("matrices of float or double are wanted")
    return self.to(torch.float64)

prim::laid_out(Tensor self, int[] shape, ScalarType dtype) -> Tensor
    return torch.zeros(shape, dtype=dtype).copy_(self.reshape(shape))

prim::batches(Tensor self) -> Tensor
    count = 1
    for size in self.shape[:-2]:
        count = count * size
    return self.reshape([count, self.shape[-2], self.shape[-1]])

prim::solved(Tensor self, Tensor right) -> Tensor
    n = self.shape[-1]
    if right.dim() < 2 or right.shape[-2] != n:
        raise RuntimeError("linalg_solve: the right sides are as long as the matrix")
    shape = torch._infer_size(self.shape[:-2], right.shape[:-2])
    out, det, singular = torch.ops.prim.eliminated(self.expand(shape + [n, n]).contiguous(),
                                                   right.expand(shape + [n, right.shape[-1]]).contiguous())
    if singular:
        raise RuntimeError("linalg_solve: the matrix is singular")
    return out

aten::linalg_solve(Tensor A, Tensor B, *, bool left=True) -> Tensor
    if A.dim() < 2 or A.dtype != B.dtype or A.shape[-1] != A.shape[-2]:
        raise RuntimeError("linalg_solve takes square matrices and right sides of their dtype")
    if B.dim() == 1 or (B.dim() == A.dim() - 1 and B.shape == A.shape[:-1]):
        return torch.ops.prim.solved(A, B.unsqueeze(-1)).squeeze(-1)
    if left:
        return torch.ops.prim.solved(A, B)
    return torch.ops.prim.solved(A.transpose(-2, -1), B.transpose(-2, -1)).transpose(-2, -1)

aten::linalg_slogdet(Tensor A) -> (Tensor sign, Tensor logabsdet)
    factors, pivots = torch.ops.prim.factored_lu(torch.ops.prim.as_doubles(A, True), True)
    diagonal = factors.diagonal(0, -2, -1)
    swaps = (pivots != torch.arange(1, A.shape[-1] + 1, dtype=torch.int32)).sum([-1])
    sign = diagonal.sign().prod(-1) * (1 - 2 * (swaps % 2))
    return sign.to(A.dtype), diagonal.abs().log().sum([-1]).to(A.dtype)

aten::slogdet(Tensor self) -> (Tensor sign, Tensor logabsdet)
    return torch.linalg_slogdet(self)

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
        columns.append(torch.cat([torch.zeros([a.shape[0], i], dtype=torch.float64), column / top.sqrt()], 1))
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

aten::linalg_cholesky_ex(Tensor self, *, bool upper=False, bool check_errors=False) -> (Tensor L, Tensor info)
    factor, info = torch.ops.prim.lower_factor(self.transpose(-2, -1) if upper else self)
    if check_errors and bool((info > 0).any()):
        raise RuntimeError("linalg_cholesky_ex: the matrix is not positive-definite")
    return factor.transpose(-2, -1) if upper else factor, info

aten::cholesky(Tensor self, bool upper=False) -> Tensor
    return torch.linalg_cholesky(self, upper=upper)

aten::cholesky_solve(Tensor self, Tensor input2, bool upper=False) -> Tensor
    factor = input2.triu() if upper else input2.tril()
    other = factor.transpose(-2, -1)
    return torch.linalg_solve(other.matmul(factor) if upper else factor.matmul(other), self)

aten::cholesky_inverse(Tensor self, bool upper=False) -> Tensor
    factor = self.triu() if upper else self.tril()
    other = factor.transpose(-2, -1)
    return torch.linalg_inv(other.matmul(factor) if upper else factor.matmul(other))

aten::linalg_solve_triangular(Tensor self, Tensor B, *, bool upper, bool left=True, bool unitriangular=False) -> Tensor
    if self.dim() < 2 or B.dim() < 2:
        raise RuntimeError("linalg_solve_triangular takes matrices")
    half = self.triu() if upper else self.tril()
    if unitriangular:
        unit = torch.eye(self.shape[-1], dtype=self.dtype)
        half = half * (1 - unit) + unit
    return torch.linalg_solve(half, B, left=left)

aten::triangular_solve(Tensor self, Tensor A, bool upper=True, bool transpose=False, bool unitriangular=False) -> (Tensor solution, Tensor cloned_coefficient)
    m = A.transpose(-2, -1) if transpose else A
    return torch.linalg_solve_triangular(m, self, upper=upper != transpose, unitriangular=unitriangular), A.clone()

prim::reflected(Tensor self, bool complete) -> (Tensor, Tensor)
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
    return q.narrow(2, 0, k).reshape(shape + [m, k]), a.narrow(1, 0, k).triu().reshape(shape + [k, n])

aten::linalg_qr(Tensor A, str mode="reduced") -> (Tensor Q, Tensor R)
    if mode != "reduced" and mode != "complete" and mode != "r":
        raise RuntimeError("linalg_qr: the mode is reduced, complete or r")
    q, r = torch.ops.prim.reflected(A, mode == "complete")
    return torch.empty([0], dtype=A.dtype) if mode == "r" else q.to(A.dtype), r.to(A.dtype)

aten::qr(Tensor self, bool some=True) -> (Tensor Q, Tensor R)
    return torch.linalg_qr(self, "reduced" if some else "complete")

prim::rotated(Tensor self) -> (Tensor, Tensor, Tensor)
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
                turns = both.abs() > 1e-15 * a.sqrt() * b.sqrt()
                if bool(turns.any()):
                    moved = True
                    ratio = (b - a) / torch.where(turns, 2 * both, torch.ones_like(both))
                    way = torch.where(ratio < 0, -torch.ones_like(ratio), torch.ones_like(ratio))
                    t = torch.where(turns, way / (ratio.abs() + (1 + ratio * ratio).sqrt()), torch.zeros_like(ratio))
                    c = 1 / (1 + t * t).sqrt()
                    s = c * t
                    us[p], us[r] = c * x - s * y, s * x + c * y
                    vs[p], vs[r] = c * vs[p] - s * vs[r], s * vs[p] + c * vs[r]
    if n == 0:
        return self, torch.zeros([self.shape[0], 0], dtype=torch.float64), unit
    u, v = torch.stack(us, 2), torch.stack(vs, 2)
    length, order = (u * u).sum([1]).sqrt().sort(1, True)
    u = u.gather(2, order.unsqueeze(1).expand([-1, m, -1])) / torch.where(length == 0, torch.ones_like(length), length).unsqueeze(1)
    return u, length, v.gather(2, order.unsqueeze(1).expand([-1, n, -1]))

prim::completed(Tensor self, Tensor length, int columns) -> Tensor
    q, r = torch.ops.prim.reflected(self, True)
    sign = torch.where(r.diagonal(0, 1, 2) < 0, -torch.ones_like(length), torch.ones_like(length))
    rest = torch.ones([sign.shape[0], q.shape[2] - sign.shape[1]], dtype=torch.float64)
    return (q * torch.cat([sign, rest], 1).unsqueeze(1)).narrow(2, 0, columns)

aten::linalg_svd(Tensor A, bool full_matrices=True, *, str? driver=None) -> (Tensor U, Tensor S, Tensor Vh)
    a = torch.ops.prim.batches(torch.ops.prim.as_doubles(A, False))
    if not bool(a.isfinite().all()):
        raise RuntimeError("linalg_svd takes finite numbers")
    m, n = a.shape[1], a.shape[2]
    wide = m < n
    u, length, v = torch.ops.prim.rotated(a.transpose(1, 2) if wide else a)
    k = max(m, n) if full_matrices else min(m, n)
    u = torch.ops.prim.completed(u, length, k)
    left, right = (v, u) if wide else (u, v)
    shape = A.shape[:-2]
    return (torch.ops.prim.laid_out(left, shape + [m, min(m, k)], A.dtype), torch.ops.prim.laid_out(length, shape + [min(m, n)], A.dtype),
            torch.ops.prim.laid_out(right.transpose(1, 2), shape + [min(n, k), n], A.dtype))

aten::linalg_svdvals(Tensor A, *, str? driver=None) -> Tensor
    return torch.linalg_svd(A, False)[1]

aten::svd(Tensor self, bool some=True, bool compute_uv=True) -> (Tensor U, Tensor S, Tensor V)
    u, s, vh = torch.linalg_svd(self, not some)
    if compute_uv:
        return u, s, vh.transpose(-2, -1)
    m, n = self.shape[-2], self.shape[-1]
    return self.new_zeros(self.shape[:-2] + [m, m]), s, self.new_zeros(self.shape[:-2] + [n, n])

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
    apart = 2 * (whole * whole).sum([1, 2], True).sqrt()
    apart = torch.where(apart == 0, torch.ones_like(apart), apart)
    u, length, v = torch.ops.prim.rotated(whole + apart * unit)
    values = (length - apart.squeeze(2)).flip([1])
    return torch.ops.prim.laid_out(values, self.shape[:-1], self.dtype), torch.ops.prim.laid_out(v.flip([2]), self.shape, self.dtype)

aten::linalg_eigvalsh(Tensor self, str UPLO="L") -> Tensor
    return torch.linalg_eigh(self, UPLO)[0]

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

aten::linalg_pinv.atol_rtol_float(Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False) -> Tensor
    if atol is not None and atol > 0.0:
        raise RuntimeError("linalg_pinv takes rtol, not atol")
    least = 2.220446049250313e-16 if self.dtype == torch.float64 else 1.1920928955078125e-07
    return torch.linalg_pinv(self, least * max(self.shape[-1], self.shape[-2]) if rtol is None else rtol, hermitian)

aten::pinverse(Tensor self, float rcond=1.0000000000000001e-15) -> Tensor
    return torch.linalg_pinv(self, rcond)

aten::linalg_multi_dot(Tensor[] tensors) -> Tensor
    if len(tensors) < 2:
        raise RuntimeError("linalg_multi_dot takes two tensors or more")
    out = tensors[0]
    for i in range(len(tensors) - 1):
        out = out.matmul(tensors[i + 1])
    return out

aten::linalg_vecdot(Tensor x, Tensor y, *, int dim=-1) -> Tensor
    return (x * y).sum([dim])

aten::linalg_matrix_norm(Tensor self, Scalar ord, int[] dim=[-2, -1], bool keepdim=False, *, ScalarType? dtype=None) -> Tensor
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

aten::linalg_matrix_norm.str_ord(Tensor self, str ord="fro", int[] dim=[-2, -1], bool keepdim=False, *, ScalarType? dtype=None) -> Tensor
    x = self if dtype is None else self.to(dtype)
    if ord == "nuc":
        return torch.nuclear_norm(x, dim, keepdim)
    if ord != "fro" or len(dim) != 2 or x.dim() < 2:
        raise RuntimeError("linalg_matrix_norm takes the order 'fro' or 'nuc', and two dims")
    return x.norm(2, dim, keepdim)

aten::nuclear_norm(Tensor self, bool keepdim=False) -> Tensor
    if self.dim() != 2:
        raise RuntimeError("nuclear_norm takes a matrix")
    return torch.nuclear_norm(self, [0, 1], keepdim)

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

aten::nuclear_norm.out(Tensor self, bool keepdim=False, *, Tensor(a!) out) -> Tensor(a!)
    return torch.ops.prim.written(out, torch.nuclear_norm(self, keepdim), "nuclear_norm")

aten::nuclear_norm.dim_out(Tensor self, int[2] dim, bool keepdim=False, *, Tensor(a!) out) -> Tensor(a!)
    return torch.ops.prim.written(out, torch.nuclear_norm(self, dim, keepdim), "nuclear_norm")
)py";

[[maybe_unused]] const bool kRegistered = [] {
  add_scripted(kText, "scripted_linalg");
  return true;
}();

}  // namespace
}  // namespace fusillade
