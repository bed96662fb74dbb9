// Gradients of matrix products, convolutions and pooling, of losses by element and of solutions of
// linear equations.
#include "engine/ops/composite.h"
#include "engine/ops/gradient.h"

namespace fusillade {
namespace {

constexpr std::string_view kHelp = R"py(
prim::matmul_left(Tensor grad, Tensor other, int rank) -> Tensor
    if rank == 1 and other.dim() == 1:
        return grad * other
    if other.dim() == 1:
        return grad.unsqueeze(-1) * other
    if rank == 1:
        return torch.matmul(other, grad.unsqueeze(-1)).squeeze(-1)
    return torch.matmul(grad, other.transpose(-1, -2))

prim::matmul_right(Tensor grad, Tensor self, int rank) -> Tensor
    if self.dim() == 1 and rank == 1:
        return grad * self
    if self.dim() == 1:
        return self.unsqueeze(-1) * grad.unsqueeze(-2)
    if rank == 1:
        return torch.mv(self.flatten(0, self.dim() - 2).t(), grad.flatten())
    return torch.matmul(self.transpose(-1, -2), grad)

prim::cofactors(Tensor A, Tensor det) -> Tensor
    if not bool((det == 0).any()):
        return det.unsqueeze(-1).unsqueeze(-1) * torch.linalg.inv(A).mT
    u, s, vh = torch.linalg.svd(A)
    n = s.shape[-1]
    own = torch.eye(n, dtype=torch.bool)
    others = s.unsqueeze(-2).expand(s.shape + [n]).masked_fill(own, 1).prod(-1)
    sign = (torch.linalg.det(u) * torch.linalg.det(vh)).unsqueeze(-1).unsqueeze(-1)
    return sign * torch.matmul(u * others.unsqueeze(-2), vh)

prim::conv_input_gradient(Tensor grad, Tensor weight, int[] size, int[] stride, int[] padding, int[] dilation, int groups) -> Tensor
    dims = weight.dim() - 2
    step = torch.ops.prim.each_of(stride, dims)
    pad = torch.ops.prim.each_of(padding, dims)
    wide = torch.ops.prim.each_of(dilation, dims)
    rest: List[int] = []
    for d in range(dims):
        reach = (grad.size(d - dims) - 1) * step[d] - 2 * pad[d] + wide[d] * (weight.size(d - dims) - 1) + 1
        rest.append(size[d - dims] - reach)
    return torch.ops.prim.conv_transposed(grad, weight, None, step, pad, rest, groups, wide, dims)

prim::conv_weight_gradient(Tensor grad, Tensor input, int[] size, int[] stride, int[] padding, int[] dilation, int groups) -> Tensor
    dims = len(size) - 2
    step = torch.ops.prim.each_of(stride, dims)
    wide = torch.ops.prim.each_of(dilation, dims)
    pads: List[int] = []
    for d in range(dims):
        n = torch.ops.prim.each_of(padding, dims)[dims - 1 - d]
        pads = pads + [n, n]
    whole = input if input.dim() == dims + 2 else input.unsqueeze(0)
    padded = torch.ops.aten.constant_pad_nd(whole, pads)
    like = torch.zeros(size, dtype=grad.dtype)
    columns = torch.ops.prim.conv_columns(torch.ops.prim.conv_windows(padded, like, step, wide, groups))
    filters = grad.reshape([whole.size(0), groups, size[0] // groups, columns.size(-1)])
    return torch.matmul(filters, columns.transpose(-1, -2)).sum([0]).reshape(size)

prim::distance_slopes(Tensor grad, Tensor x1, Tensor x2, Tensor result, float p) -> Tensor
    apart = x1.unsqueeze(-2) - x2.unsqueeze(-3)
    length = result.unsqueeze(-1)
    some = length.masked_fill(length == 0, 1)
    each = grad.unsqueeze(-1)
    if p == 0.0:
        return torch.zeros_like(apart) * each
    if p == 1.0:
        return apart.sgn() * each
    if p == float("inf"):
        return apart.sgn() * each * (apart.abs() == length).to(grad.dtype)
    if p < 2.0:
        return (apart.sgn() * apart.abs().pow(p - 1.0) * each / some.pow(p - 1.0)).masked_fill((length == 0) | (apart == 0), 0)
    return (apart * apart.abs().pow(p - 2.0) * each / some.pow(p - 1.0)).masked_fill(length == 0, 0)

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
    beside_u = (gu - torch.matmul(u, left)) / s.unsqueeze(-2)
    beside_v = (gv - torch.matmul(v, right)) / s.unsqueeze(-2)
    return whole + torch.matmul(beside_u, v.mT) + torch.matmul(u, beside_v.mT)

prim::cholesky_gradient(Tensor grad, Tensor result, bool upper) -> Tensor
    lower = result.mT if upper else result
    own = torch.matmul(lower.mT, grad.mT if upper else grad)
    middle = (own.tril() + own.tril(-1)) * 0.5
    right = torch.ops.aten.linalg_solve_triangular(lower.mT, middle, upper=True)
    whole = torch.ops.aten.linalg_solve_triangular(lower, right, upper=False, left=False)
    return (whole + whole.mT) * 0.5

prim::others(int rank, int dim) -> int[]
    out: List[int] = []
    for i in range(rank):
        if i != dim:
            out.append(i)
    return out

prim::summed_channels(Tensor grad, int dims) -> Tensor
    return grad.sum(torch.ops.prim.others(grad.dim(), grad.dim() - dims - 1))

prim::pooled_gradient(Tensor grad, Tensor indices, int[] size, int dims) -> Tensor
    lead = size[:-dims]
    spots = indices.flatten(-dims)
    count = 1
    for n in size[-dims:]:
        count = count * n
    whole = torch.ops.prim.gradient_zeros(grad, lead + [count])
    return whole.scatter_add(-1, spots, grad.flatten(-dims)).reshape(size)
)py";

constexpr std::string_view kText = R"py(
aten::mm
    self: grad.mm(mat2.t())
    mat2: self.t().mm(grad)
aten::bmm
    self: grad.bmm(mat2.transpose(1, 2))
    mat2: self.transpose(1, 2).bmm(grad)
aten::mv
    self: torch.outer(grad, vec)
    vec: self.t().mv(grad)
aten::dot
    self: grad * tensor
    tensor: grad * self
aten::matmul
    self: torch.ops.prim.matmul_left(grad, other, self.dim())
    other: torch.ops.prim.matmul_right(grad, self, other.dim())
aten::linear
    input: torch.matmul(grad, weight) if weight.dim() == 2 else grad.unsqueeze(-1) * weight
    weight:
        if weight.dim() == 1:
            return grad.unsqueeze(-1) * input
        rows = grad.reshape([-1, weight.size(0)])
        return rows.t().mm(input.reshape([-1, weight.size(1)]))
    bias: grad
aten::addmm
    self: grad * beta
    mat1: grad.mm(mat2.t()) * alpha
    mat2: mat1.t().mm(grad) * alpha
aten::baddbmm
    self: grad * beta
    batch1: grad.bmm(batch2.transpose(1, 2)) * alpha
    batch2: batch1.transpose(1, 2).bmm(grad) * alpha
prim::conv_product
    filters: torch.matmul(grad, columns.transpose(-1, -2)).sum([0]).reshape(filters.size())
    columns: torch.matmul(filters.reshape([columns.size(1), -1, filters.size(1)]).transpose(-1, -2), grad)
    bias: grad.sum([0, 3]).reshape([-1])
aten::conv1d, aten::conv2d
    input: torch.ops.prim.conv_input_gradient(grad, weight, input.size(), stride, padding, dilation, groups)
    weight: torch.ops.prim.conv_weight_gradient(grad, input, weight.size(), stride, padding, dilation, groups)
    bias: torch.ops.prim.summed_channels(grad, weight.dim() - 2)
aten::max_pool1d
    self: torch.ops.prim.pooled_gradient(grad, torch.max_pool1d_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode)[1], self.size(), 1)
aten::max_pool2d
    self: torch.ops.prim.pooled_gradient(grad, torch.max_pool2d_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode)[1], self.size(), 2)
aten::max_pool3d
    self: torch.ops.prim.pooled_gradient(grad, torch.max_pool3d_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode)[1], self.size(), 3)
aten::max_pool1d_with_indices, aten::adaptive_max_pool1d
    self: torch.ops.prim.pooled_gradient(grad0, result1, self.size(), 1)
aten::max_pool2d_with_indices, aten::adaptive_max_pool2d
    self: torch.ops.prim.pooled_gradient(grad0, result1, self.size(), 2)
aten::max_pool3d_with_indices, aten::adaptive_max_pool3d
    self: torch.ops.prim.pooled_gradient(grad0, result1, self.size(), 3)
prim::affine
    self: grad if weight is None else grad * weight
    weight: grad * self
    bias: grad
prim::logits_error
    self:
        p = torch.sigmoid(self)
        if pos_weight is None:
            return grad * (p - target)
        t = pos_weight * target
        return grad * ((t + 1 - target) * p - t)
    target:
        if pos_weight is None:
            return grad * -self
        return grad * ((1 - pos_weight) * torch.nn.functional.logsigmoid(self) - self)
aten::cdist
    x1: torch.ops.prim.distance_slopes(grad, x1, x2, result, p).sum([-2])
    x2: -torch.ops.prim.distance_slopes(grad, x1, x2, result, p).sum([-3])
aten::linalg_eigh
    self:
        own = torch.eye(result0.size(-1), dtype=torch.bool)
        gap = (result0.unsqueeze(-2) - result0.unsqueeze(-1)).masked_fill(own, float("inf"))
        middle = torch.matmul(result1.mT, grad1) / gap + torch.diag_embed(grad0)
        return torch.matmul(result1, torch.matmul(middle, result1.mT))
aten::linalg_eigvalsh
    self:
        v = torch.linalg.eigh(self, UPLO)[1]
        return torch.matmul(v * grad.unsqueeze(-2), v.mT)
aten::linalg_svd
    A: torch.ops.prim.svd_gradient(grad0, grad1, grad2, result0, result1, result2)
aten::linalg_svdvals
    A:
        u, s, vh = torch.linalg.svd(A, False)
        return torch.matmul(u * grad.unsqueeze(-2), vh)
prim::rotated
    unknown
aten::cholesky
    self: torch.ops.prim.cholesky_gradient(grad, result, upper)
aten::linalg_cholesky_ex
    self: torch.ops.prim.cholesky_gradient(grad0, result0, upper)
aten::linalg_cholesky
    self: torch.ops.prim.cholesky_gradient(grad, result, upper)
aten::linalg_inv
    A: -torch.matmul(result.mT, torch.matmul(grad, result.mT))
aten::linalg_det
    A: grad.unsqueeze(-1).unsqueeze(-1) * torch.ops.prim.cofactors(A, result)
aten::logdet
    self: grad.unsqueeze(-1).unsqueeze(-1) * torch.linalg.inv(self).mT
aten::linalg_slogdet
    A: grad1.unsqueeze(-1).unsqueeze(-1) * torch.linalg.inv(A).mT
aten::slogdet
    self: grad1.unsqueeze(-1).unsqueeze(-1) * torch.linalg.inv(self).mT
)py";

[[maybe_unused]] const bool kRegistered = [] {
  add_scripted(kHelp, "gradient_product");
  add_gradients(kText);
  return true;
}();

}  // namespace
}  // namespace fusillade
