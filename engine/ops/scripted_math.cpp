// Rows in the language: functions of elements, products, distances, small linear algebra.
#include "engine/ops/composite.h"

namespace fusillade {
namespace {

constexpr std::string_view kText = R"py(
prim::written(Tensor(a!) self, Tensor result, str op) -> Tensor(a!)
    if result.shape != self.shape:
        raise RuntimeError(op + ": the result has another shape than the tensor it goes into")
    lost = result.is_floating_point() and not self.is_floating_point()
    if lost or (self.dtype == torch.bool and result.dtype != torch.bool):
        raise RuntimeError(op + ": the result's dtype does not go into that of the tensor")
    return self.copy_(result)

prim::into(Tensor(a!) out, Tensor made, str op, bool exact) -> Tensor(a!)
    return torch.ops.prim.fit_to(out, made, op, exact).copy_(made)

prim::floating(Tensor self) -> Tensor
    return self if self.is_floating_point() else self.to(torch.float32)

aten::promote_types(ScalarType type1, ScalarType type2) -> ScalarType
    return (torch.zeros([1], dtype=type1) + torch.zeros([1], dtype=type2)).dtype

aten::result_type.Tensor(Tensor tensor, Tensor other) -> ScalarType
    a = torch.zeros([1] * min(tensor.dim(), 1), dtype=tensor.dtype)
    return (a + torch.zeros([1] * min(other.dim(), 1), dtype=other.dtype)).dtype

aten::is_signed(Tensor self) -> bool
    return self.dtype != torch.uint8 and self.dtype != torch.bool

aten::is_same_size(Tensor self, Tensor other) -> bool
    return self.shape == other.shape

aten::deg2rad(Tensor self) -> Tensor  # twin
    return self * 0.017453292519943295

aten::rad2deg(Tensor self) -> Tensor  # twin
    return self * 57.29577951308232

aten::float_power.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor
    return self.to(torch.float64).pow(exponent.to(torch.float64))

aten::float_power.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor
    return self.to(torch.float64).pow(float(exponent))

aten::float_power.Scalar(Scalar self, Tensor exponent) -> Tensor
    return torch.pow(float(self), exponent.to(torch.float64))

aten::heaviside(Tensor self, Tensor values) -> Tensor  # twin
    if self.dtype != values.dtype:
        raise RuntimeError("heaviside takes tensors of one dtype")
    return torch.where(self == 0, values, (self > 0).to(self.dtype))

aten::signbit(Tensor self) -> Tensor
    if not self.is_floating_point():
        return self < 0
    return torch.copysign(torch.ones_like(self), self) < 0

prim::halves_widened(Tensor(a) self) -> Tensor(a)
    return self.to(torch.float32) if self.dtype == torch.float16 or self.dtype == torch.bfloat16 else self

aten::logaddexp(Tensor self, Tensor other) -> Tensor
    if not self.is_floating_point() or not other.is_floating_point():
        raise RuntimeError("logaddexp takes tensors of floats")
    kind = torch.result_type(self, other)
    x, y = torch.ops.prim.halves_widened(self), torch.ops.prim.halves_widened(other)
    larger = torch.maximum(x, y)
    return torch.where((x == y) & torch.isinf(x), larger, larger + torch.log1p(torch.exp(-(x - y).abs()))).to(kind)

aten::logaddexp2(Tensor self, Tensor other) -> Tensor
    if not self.is_floating_point() or not other.is_floating_point():
        raise RuntimeError("logaddexp2 takes tensors of floats")
    kind = torch.result_type(self, other)
    x, y = torch.ops.prim.halves_widened(self), torch.ops.prim.halves_widened(other)
    larger = torch.maximum(x, y)
    rest = torch.log1p(torch.exp2(-(x - y).abs())) * 1.4426950408889634
    return torch.where((x == y) & torch.isinf(x), larger, larger + rest).to(kind)

aten::xlogy.Tensor(Tensor self, Tensor other) -> Tensor  # twin
    kind = torch.ops.prim.floating(self + other).dtype
    product = self.to(kind) * torch.log(other.to(kind))
    zero = torch.zeros_like(product)
    return torch.where(other != other, other.to(product.dtype), torch.where(self == 0, zero, product))

aten::xlogy.Scalar_Other(Tensor self, Scalar other) -> Tensor
    return torch.xlogy(self, torch.full([], float(other), dtype=torch.ops.prim.floating(self).dtype))

aten::xlogy.Scalar_Self(Scalar self, Tensor other) -> Tensor
    return torch.xlogy(torch.full([], float(self), dtype=torch.ops.prim.floating(other).dtype), other)

aten::sinc(Tensor self) -> Tensor  # twin
    x = torch.ops.prim.wide(self) * 3.141592653589793
    return torch.where(x == 0, torch.ones_like(x), torch.sin(x) / x).to(torch.ops.prim.floating(self).dtype)

aten::asinh(Tensor self) -> Tensor  # twin
    kind = torch.ops.prim.floating(self).dtype
    x = torch.ops.prim.wide(self)
    a = x.abs()
    near = torch.log1p(a + a * a / (1 + torch.sqrt(a * a + 1)))
    return torch.copysign(torch.where(a > 1e9, torch.log(a) + 0.6931471805599453, near), x).to(kind)

aten::acosh(Tensor self) -> Tensor  # twin
    kind = torch.ops.prim.floating(self).dtype
    x = torch.ops.prim.wide(self)
    over = x - 1
    near = torch.log1p(over + torch.sqrt(torch.where(x < 1, over, over * (over + 2))))
    return torch.where(x > 1e9, torch.log(x) + 0.6931471805599453, near).to(kind)

aten::atanh(Tensor self) -> Tensor  # twin
    kind = torch.ops.prim.floating(self).dtype
    x = torch.ops.prim.wide(self)
    return torch.copysign(torch.log1p(2 * x.abs() / (1 - x.abs())) * 0.5, x).to(kind)

aten::ldexp.Tensor(Tensor self, Tensor other) -> Tensor
    return self * torch.pow(2.0, other)

aten::ldexp_(Tensor(a!) self, Tensor other) -> Tensor(a!)
    return torch.ops.prim.written(self, torch.ldexp(self, other), "ldexp_")

aten::gcd(Tensor self, Tensor other) -> Tensor  # twin
    if self.is_floating_point() or other.is_floating_point() or self.dtype == torch.bool or other.dtype == torch.bool:
        raise RuntimeError("gcd takes tensors of integers")
    both = self + other - other
    a, b = both.abs(), (other + both - both).abs()
    while bool((a != 0).any()):
        rest = torch.where(a == 0, torch.zeros_like(a), torch.fmod(b, torch.where(a == 0, torch.ones_like(a), a)))
        a, b = rest, torch.where(a == 0, b, a)
    return torch.empty_like(both).copy_(b)

aten::lcm(Tensor self, Tensor other) -> Tensor  # twin
    common = torch.gcd(self, other)
    share = torch.div(self, common.masked_fill(common == 0, 1), rounding_mode="trunc")
    if common.dtype == torch.int64 or common.dtype == torch.int32:
        return (share * other).abs()
    return (share.to(torch.int32) * other.to(common.dtype)).abs().to(common.dtype)

aten::fill.Scalar(Tensor self, Scalar value) -> Tensor
    return torch.full_like(self, value)

aten::fill.Tensor(Tensor self, Tensor value) -> Tensor
    if value.dim() != 0:
        raise RuntimeError("fill takes a tensor of no dims")
    return torch.empty_like(self).copy_(value)

aten::vdot(Tensor self, Tensor other) -> Tensor
    if self.dim() != 1 or other.dim() != 1 or self.dtype != other.dtype:
        raise RuntimeError("vdot takes vectors of one dtype")
    return torch.dot(self, other)

aten::inner(Tensor self, Tensor other) -> Tensor
    if self.dim() == 0 or other.dim() == 0:
        return self * other
    if self.shape[-1] != other.shape[-1] or self.dtype != other.dtype:
        raise RuntimeError("inner takes tensors of one dtype whose last dims have one size")
    return torch.ops.aten.tensordot(self, other, [-1], [-1])

aten::tensordot.out(Tensor self, Tensor other, int[] dims_self, int[] dims_other, *, Tensor(a!) out) -> Tensor(a!)
    return torch.ops.prim.written(out, torch.ops.aten.tensordot(self, other, dims_self, dims_other), "tensordot")

aten::tensordot(Tensor self, Tensor other, int[] dims_self, int[] dims_other) -> Tensor
    if len(dims_self) != len(dims_other) or self.dtype != other.dtype:
        raise RuntimeError("tensordot takes tensors of one dtype and as many dims of each")
    left = [i for i in range(self.dim())]
    right = [i for i in range(other.dim())]
    a, b = self, other
    size = 1
    for i in range(len(dims_self)):
        d, e = dims_self[i] % self.dim(), dims_other[i] % other.dim()
        if a.shape[d] == 1 and b.shape[e] != 1:
            b = b.sum([e], True, dtype=b.dtype)
        if b.shape[e] == 1 and a.shape[d] != 1:
            a = a.sum([d], True, dtype=a.dtype)
        if a.shape[d] != b.shape[e]:
            raise RuntimeError("tensordot: sizes that meet differ")
        size = size * a.shape[d]
        left.remove(d)
        right.remove(e)
    shape: List[int] = []
    rows, columns = 1, 1
    for d in left:
        shape.append(a.shape[d])
        rows = rows * a.shape[d]
    for e in right:
        shape.append(b.shape[e])
        columns = columns * b.shape[e]
    x = a.permute(left + [d % self.dim() for d in dims_self]).reshape([rows, size])
    y = b.permute([e % other.dim() for e in dims_other] + right).reshape([size, columns])
    return x.matmul(y).reshape(shape)

aten::kron(Tensor self, Tensor other) -> Tensor
    rank = max(self.dim(), other.dim())
    a = self.reshape([1] * (rank - self.dim()) + self.shape)
    b = other.reshape([1] * (rank - other.dim()) + other.shape)
    wide_a: List[int] = []
    wide_b: List[int] = []
    shape: List[int] = []
    for i in range(rank):
        wide_a.append(a.shape[i])
        wide_a.append(1)
        wide_b.append(1)
        wide_b.append(b.shape[i])
        shape.append(a.shape[i] * b.shape[i])
    return (a.reshape(wide_a) * b.reshape(wide_b)).reshape(shape)

aten::addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor  # twin
    if mat.dim() != 2 or vec.dim() != 1:
        raise RuntimeError("addmv takes a matrix and a vector")
    if alpha != 1 or beta != 1:
        for factor in [alpha, beta]:
            torch.full([], factor, dtype=self.dtype)
    return torch.addmm(self.expand([mat.shape[0]]).unsqueeze(1), mat, vec.unsqueeze(1), beta=beta, alpha=alpha).squeeze(1)

aten::addr(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor  # twin
    if vec1.dim() != 1 or vec2.dim() != 1:
        raise RuntimeError("addr takes two vectors")
    added = self.expand([vec1.shape[0], vec2.shape[0]])
    kind = torch.promote_types(self.dtype, torch.promote_types(vec1.dtype, vec2.dtype))
    left, right = vec1.unsqueeze(1).to(kind), vec2.to(kind)
    if kind == torch.bool:
        product = torch.logical_and(left, right) if float(alpha) != 0.0 else torch.zeros(added.shape, dtype=kind)
        return torch.logical_or(added, product) if float(beta) != 0.0 else product
    if torch.mul(left, alpha).dtype != kind or torch.mul(left, beta).dtype != kind:
        raise RuntimeError("addr: alpha and beta of integers are integers")
    product = left * torch.full([1], alpha, dtype=kind) * right
    return product if float(beta) == 0.0 else product + added * torch.full([1], beta, dtype=kind)

aten::addbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor  # twin
    if batch1.dim() != 3 or batch2.dim() != 3 or batch1.shape[0] != batch2.shape[0]:
        raise RuntimeError("addbmm takes two batches of as many matrices")
    rows, columns = batch1.transpose(0, 1).flatten(1), batch2.flatten(0, 1)
    return torch.addmm(self, rows, columns, beta=beta, alpha=alpha)

aten::addmm_(Tensor(a!) self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor(a!)
    return torch.ops.prim.written(self, torch.addmm(self, mat1, mat2, beta=beta, alpha=alpha), "addmm_")

aten::baddbmm_(Tensor(a!) self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor(a!)
    return torch.ops.prim.written(self, torch.baddbmm(self, batch1, batch2, beta=beta, alpha=alpha), "baddbmm_")

aten::round.decimals(Tensor self, *, int decimals) -> Tensor  # twin
    if not self.is_floating_point():
        raise RuntimeError("round with decimals takes floats")
    scale = 10.0 ** abs(decimals)
    return (self * scale).round() / scale if decimals >= 0 else (self / scale).round() * scale

aten::chain_matmul(Tensor[] matrices) -> Tensor
    if len(matrices) == 0:
        raise RuntimeError("chain_matmul takes one matrix or more")
    out = matrices[0]
    for i in range(len(matrices)):
        if matrices[i].dim() != 2:
            raise RuntimeError("chain_matmul takes matrices")
        if i > 0:
            out = out.matmul(matrices[i])
    return out

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

prim::eliminated(Tensor self, Tensor right) -> (Tensor, Tensor, bool)
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
        order = torch.where(rows == i, best, torch.where(rows == best, torch.full_like(best, i), rows))
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
    return b.reshape(right.shape).to(self.dtype), det.reshape(self.shape[:-2]).to(self.dtype), singular

aten::linalg_det(Tensor A) -> Tensor
    return torch.ops.prim.eliminated(A, torch.zeros_like(A))[1]

aten::linalg_inv(Tensor A) -> Tensor
    if A.dim() < 2:
        raise RuntimeError("inverse takes square matrices")
    unit = torch.eye(A.shape[-1], dtype=A.dtype).expand(A.shape[:-2] + [A.shape[-1], A.shape[-1]]).contiguous()
    out, det, singular = torch.ops.prim.eliminated(A, unit)
    if singular:
        raise RuntimeError("inverse: the matrix is singular")
    return out

aten::logdet(Tensor self) -> Tensor
    sign, size = torch.linalg_slogdet(self)
    return size.masked_fill(sign < 0, float("nan"))

aten::cross(Tensor self, Tensor other, int? dim=None) -> Tensor
    at = 0 if dim is None else dim
    if dim is None:
        at = -self.dim() - 1
        for i in range(self.dim()):
            if self.shape[i] == 3 and at < -self.dim():
                at = i
        if at < -self.dim():
            raise RuntimeError("cross takes tensors with a dim of size 3")
    return torch.linalg_cross(self, other, dim=at)

aten::linalg_cross(Tensor self, Tensor other, *, int dim=-1) -> Tensor
    if self.dim() != other.dim() or self.shape[dim] != 3 or other.shape[dim] != 3 or self.dtype != other.dtype:
        raise RuntimeError("cross takes tensors of one dtype and as many dims, three items along the one named")
    a, b = torch.where(other == other, self, self), torch.where(self == self, other, other)
    return a.roll([-1], [dim]) * b.roll([-2], [dim]) - a.roll([-2], [dim]) * b.roll([-1], [dim])

aten::dist(Tensor self, Tensor other, Scalar p=2) -> Tensor
    apart = self - other
    return torch.ops.prim.wide(apart).norm(p).to(apart.dtype) if apart.is_floating_point() else apart.norm(p)

prim::distances(Tensor apart, float p) -> Tensor
    if apart.shape[-1] == 0 and apart.is_floating_point():
        return torch.zeros(apart.shape[:-1], dtype=apart.dtype)
    if p == 0.0:
        return torch.where(apart != apart, apart, (apart != 0).to(apart.dtype)).sum([-1])
    if p == 1.0 or p == 2.0 or math.isinf(p) or apart.shape[-1] != 1:
        return apart.norm(p, [-1])
    return apart.abs().pow(p).sum([-1]).pow(1.0 / p)

aten::cdist(Tensor x1, Tensor x2, float p=2., int? compute_mode=None) -> Tensor
    if x1.dim() < 2 or x2.dim() < 2 or x1.shape[-1] != x2.shape[-1] or not p >= 0.0:
        raise RuntimeError("cdist takes rows of one length, and p of at least 0")
    apart = x1.unsqueeze(-2) - x2.unsqueeze(-3)
    return torch.ops.prim.distances(apart, p)

aten::pdist(Tensor self, float p=2.) -> Tensor  # values
    if self.dim() != 2 or not p >= 0.0:
        raise RuntimeError("pdist takes a matrix, and p of at least 0")
    upper = torch.ones([self.shape[0], self.shape[0]], dtype=torch.bool).triu(1)
    return torch.ops.prim.distances(self.unsqueeze(1) - self.unsqueeze(0), p).masked_select(upper)

aten::cosine_similarity(Tensor x1, Tensor x2, int dim=1, float eps=1e-08) -> Tensor
    both = x1 + x2
    if not both.is_floating_point():
        raise RuntimeError("cosine_similarity takes tensors whose common dtype is one of floats")
    a, b = torch.ops.prim.wide(x1.to(both.dtype)).expand_as(both), torch.ops.prim.wide(x2.to(both.dtype)).expand_as(both)
    squares = (a * a).sum([dim]).clamp_min(eps * eps) * (b * b).sum([dim]).clamp_min(eps * eps)
    return ((a * b).sum([dim]) / squares.sqrt()).to(both.dtype)

aten::pairwise_distance(Tensor x1, Tensor x2, float p=2., float eps=1e-06, bool keepdim=False) -> Tensor
    return (x1 - x2 + eps).norm(p, [-1], keepdim)

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

aten::einsum(str equation, Tensor[] tensors, *, int[]? path=None) -> Tensor
    text = equation.replace(" ", "")
    arrow = text.find("->")
    inputs = (text if arrow < 0 else text[:arrow]).split(",")
    if len(inputs) != len(tensors) or len(tensors) == 0:
        raise RuntimeError("einsum: as many operands as the equation names")
    dots = 0
    for i in range(len(tensors)):
        dots = max(dots, tensors[i].dim() - len(inputs[i].replace("...", "")) if "..." in inputs[i] else 0)
    rest = "0123456789"[:dots]
    labels: List[str] = []
    for i in range(len(tensors)):
        own = tensors[i].dim() - len(inputs[i].replace("...", ""))
        if own < 0 or (own > 0 and "..." not in inputs[i]):
            raise RuntimeError("einsum: an operand has other dims than the equation names")
        labels.append(inputs[i].replace("...", rest[dots - own:]))
    every = "".join(labels)
    out = text[arrow + 2:].replace("...", rest)
    if arrow < 0:
        out = rest
        for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz":
            if every.count(c) == 1:
                out = out + c
    for c in out:
        if out.count(c) > 1 or c not in every:
            raise RuntimeError("einsum: the output names a dim twice, or one that no operand has")
    for c in every:
        if not (c.isalpha() or c in rest):
            raise RuntimeError("einsum: dims are named by letters")
    held, have = tensors[0], ""
    for i in range(len(tensors)):
        x, mine = tensors[i], ""
        for c in labels[i]:
            if c in mine:
                at = mine.find(c)
                if x.shape[at] != x.shape[len(mine)]:
                    raise RuntimeError("einsum: dims of one name have two sizes")
                x = x.diagonal(0, at, len(mine)).movedim(-1, at)
            else:
                mine = mine + c
        later = out + "".join(labels[i + 1:])
        if i == 0:
            held, have = x, mine
        else:
            both, joined, left, right = "", "", "", ""
            for c in have:
                if c in mine:
                    a, b = held.shape[have.find(c)], x.shape[mine.find(c)]
                    if a != b and a != 1 and b != 1:
                        raise RuntimeError("einsum: dims of one name have two sizes")
                    held_sizes = [-1] * held.dim()
                    held_sizes[have.find(c)] = max(a, b) if a != 0 and b != 0 else 0
                    held = held.expand(held_sizes)
                    x_sizes = [-1] * x.dim()
                    x_sizes[mine.find(c)] = held_sizes[have.find(c)]
                    x = x.expand(x_sizes)
                    if c in later:
                        both = both + c
                    else:
                        joined = joined + c
                else:
                    left = left + c
            for c in mine:
                if c not in have:
                    right = right + c
            sizes: List[int] = []
            groups = [1, 1, 1, 1]
            for c in both:
                sizes.append(held.shape[have.find(c)])
                groups[0] = groups[0] * sizes[-1]
            for c in left:
                sizes.append(held.shape[have.find(c)])
                groups[1] = groups[1] * sizes[-1]
            for c in right:
                sizes.append(x.shape[mine.find(c)])
                groups[2] = groups[2] * sizes[-1]
            for c in joined:
                groups[3] = groups[3] * x.shape[mine.find(c)]
            a_order = [have.find(c) for c in both + left + joined]
            b_order = [mine.find(c) for c in both + joined + right]
            a = held.permute(a_order).reshape([groups[0], groups[1], groups[3]])
            b = x.permute(b_order).reshape([groups[0], groups[3], groups[2]])
            held, have = a.bmm(b).reshape(sizes), both + left + right
        gone: List[int] = []
        kept = ""
        for c in have:
            if c in later:
                kept = kept + c
            else:
                gone.append(have.find(c))
        if len(gone) > 0:
            held = held.sum(gone, dtype=held.dtype)
        have = kept
    return held.permute([have.find(c) for c in out])
)py";

[[maybe_unused]] const bool kRegistered = [] {
  add_scripted(kText, "scripted_math");
  return true;
}();

}  // namespace
}  // namespace fusillade
