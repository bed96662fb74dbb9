// Gradients of reductions, running sums and products, statistics, and of rows that pick elements:
// extremes, sorted ones, medians. Where several elements equal an extreme of many dimensions, it is
// shared evenly; a row that also tells the place gives all to that place.
#include "engine/ops/composite.h"
#include "engine/ops/gradient.h"

namespace fusillade {
namespace {

constexpr std::string_view kHelp = R"py(
prim::picked_gradient(Tensor grad, Tensor indices, int[] size, int dim, bool keepdim) -> Tensor
    if len(size) == 0:
        return grad
    whole = torch.ops.prim.gradient_zeros(grad, size)
    if keepdim:
        return whole.scatter(dim, indices, grad)
    return whole.scatter(dim, indices.unsqueeze(dim), grad.unsqueeze(dim))

prim::from_the_end(Tensor grad, int dim) -> Tensor
    if grad.dim() == 0:
        return grad
    return grad.flip([dim]).cumsum(dim).flip([dim])

prim::logcumsumexp_gradient(Tensor grad, Tensor self, Tensor result, int dim) -> Tensor
    if self.dim() == 0 or self.numel() == 0:
        return grad.clamp_min(0)
    part = torch.where(grad > 0, grad.log(), torch.full_like(grad, -3.4028234663852886e38)) - result
    return torch.exp(part.flip([dim]).logcumsumexp(dim).flip([dim]) + self)

prim::other_factors(Tensor self, Tensor others, Tensor product) -> Tensor
    zero = (self == 0).any()
    return torch.where(zero, others, product / torch.where(zero, torch.ones_like(self), self))

prim::cumprod_gradient(Tensor grad, Tensor self, int dim) -> Tensor
    if self.dim() == 0 or self.numel() == 0:
        return grad
    x = self.transpose(dim, -1)
    n = x.size(-1)
    own = torch.eye(n, dtype=torch.bool)
    later = torch.ones([n, n], dtype=grad.dtype).triu()
    products = x.unsqueeze(-2).masked_fill(own, 1).cumprod(-1) * later
    return torch.matmul(products, grad.transpose(dim, -1).unsqueeze(-1)).squeeze(-1).transpose(dim, -1)

prim::variance_gradient(Tensor grad, Tensor self, int[]? dim, float correction, bool keepdim) -> Tensor
    count = float(torch.ops.prim.count_over(self, dim)) - correction
    whole = torch.ops.prim.restored(grad, dim, keepdim, self.dim())
    mean = torch.ops.prim.restored(self.mean(dim, False), dim, False, self.dim())
    scale = 2.0 / count if count > 0.0 else float("inf")
    return whole * (self - mean) * scale

prim::norm_gradient(Tensor grad, Tensor self, Tensor result, float p, int[]? dim, bool keepdim) -> Tensor
    share = torch.ops.prim.restored(grad, dim, keepdim, self.dim())
    norm = torch.ops.prim.restored(result, dim, keepdim, self.dim())
    some = norm.masked_fill(norm == 0, 1)
    if p == 0.0:
        return torch.zeros_like(self)
    if p == 1.0:
        return self.sgn() * share
    if p == 2.0:
        return share * (self / some).masked_fill(norm == 0, 0)
    if p == float("inf") or p == -float("inf"):
        dims = [i for i in range(self.dim())] if dim is None or len(dim) == 0 else dim
        chosen = (self.abs() == norm) | (self.isnan() & norm.isnan())
        return self.sgn() * (share / chosen.sum(dims, True) * chosen.to(grad.dtype))
    if p < 1.0:
        each = self.sgn() * self.abs().pow(p - 1.0).masked_fill(self == 0, 0)
        return each * share * norm.pow(1.0 - p)
    scale = (share / some.pow(p - 1.0)).masked_fill(norm == 0, 0)
    if p < 2.0:
        return self.sgn() * self.abs().pow(p - 1.0) * scale
    return self * self.abs().pow(p - 2.0) * scale

prim::deviation_gradient(Tensor grad, Tensor self, Tensor result, int[]? dim, float correction, bool keepdim) -> Tensor
    slope = (grad / (result * 2)).masked_fill(result == 0, 0)
    return torch.ops.prim.variance_gradient(slope, self, dim, correction, keepdim)
)py";

constexpr std::string_view kText = R"py(
aten::sum
    self: grad.expand(self.size())
aten::sum.dim_IntList
    self: torch.ops.prim.restored(grad, dim, keepdim, self.dim()).expand(self.size())
aten::mean
    self: (grad / self.numel()).expand(self.size())
aten::mean.dim
    self: (torch.ops.prim.restored(grad, dim, keepdim, self.dim()) / torch.ops.prim.count_over(self, dim)).expand(self.size())
prim::reduce_loss
    self:
        if reduction == 0:
            return grad
        share = grad / self.numel() if reduction == 1 else grad
        return share.expand(self.size())
aten::prod
    self: grad * torch.ops.prim.other_factors(self, torch.ops.prim.product_of_others(self.reshape([-1]), 0).reshape(self.size()), result)
aten::prod.dim_int
    self:
        whole = torch.ops.prim.restored(result, [dim], keepdim, self.dim())
        others = torch.ops.prim.other_factors(self, torch.ops.prim.product_of_others(self, dim), whole)
        return torch.ops.prim.restored(grad, [dim], keepdim, self.dim()) * others
aten::amax, aten::amin, prim::amax_or_least
    self: torch.ops.prim.even_share(torch.ops.prim.restored(grad, dim, keepdim, self.dim()), torch.ops.prim.restored(result, dim, keepdim, self.dim()) == self, [i for i in range(self.dim())] if len(dim) == 0 else dim)
aten::max, aten::min, aten::median, aten::nanmedian
    self:
        same = self.isnan() if bool(result.isnan()) else self == result
        return same.to(grad.dtype) * (grad / same.sum())
aten::max.dim, aten::min.dim, aten::kthvalue, aten::median.dim, aten::nanmedian.dim, aten::mode
    self: torch.ops.prim.picked_gradient(grad0, result1, self.size(), dim, keepdim)
aten::sort, aten::sort.stable, aten::topk
    self: torch.ops.prim.picked_gradient(grad0, result1, self.size(), dim, True)
aten::cummax, aten::cummin
    self: torch.ops.prim.gradient_zeros(grad0, self.size()).scatter_add(dim, result1, grad0) if self.dim() > 0 else grad0
aten::cumsum
    self: torch.ops.prim.from_the_end(grad, dim)
aten::cumprod
    self: torch.ops.prim.cumprod_gradient(grad, self, dim)
aten::logcumsumexp
    self: torch.ops.prim.logcumsumexp_gradient(grad, self, result, dim) - torch.ops.prim.logcumsumexp_gradient(-grad, self, result, dim)
aten::logsumexp
    self: torch.ops.prim.restored(grad, dim, keepdim, self.dim()) * torch.exp(self - torch.ops.prim.restored(result, dim, keepdim, self.dim()))
aten::softmax.int
    self: result * (grad - (grad * result).sum([dim], True))
aten::log_softmax.int
    self: grad - torch.exp(result) * grad.sum([dim], True)
aten::norm.Scalar
    self: torch.ops.prim.norm_gradient(grad, self, result, float(p), None, False)
aten::norm.ScalarOpt_dim
    self: torch.ops.prim.norm_gradient(grad, self, result, 2.0 if p is None else float(p), dim, keepdim)
aten::norm.ScalarOpt_dtype
    self: torch.ops.prim.norm_gradient(grad, self.to(dtype), result, 2.0 if p is None else float(p), None, False)
aten::norm.ScalarOpt_dim_dtype
    self: torch.ops.prim.norm_gradient(grad, self.to(dtype), result, 2.0 if p is None else float(p), dim, keepdim)
aten::linalg_vector_norm
    self: torch.ops.prim.norm_gradient(grad, self.to(result.dtype), result, float(ord), dim, keepdim)
aten::var
    self: torch.ops.prim.variance_gradient(grad, self, None, 1.0 if unbiased else 0.0, False)
aten::var.dim
    self: torch.ops.prim.variance_gradient(grad, self, dim, 1.0 if unbiased else 0.0, keepdim)
aten::var.correction
    self: torch.ops.prim.variance_gradient(grad, self, dim, 1.0 if correction is None else float(correction), keepdim)
aten::std
    self: torch.ops.prim.deviation_gradient(grad, self, result, None, 1.0 if unbiased else 0.0, False)
aten::std.dim
    self: torch.ops.prim.deviation_gradient(grad, self, result, dim, 1.0 if unbiased else 0.0, keepdim)
aten::std.correction
    self: torch.ops.prim.deviation_gradient(grad, self, result, dim, 1.0 if correction is None else float(correction), keepdim)
)py";

[[maybe_unused]] const bool kRegistered = [] {
  add_scripted(kHelp, "gradient_reduce");
  add_gradients(kText);
  return true;
}();

}  // namespace
}  // namespace fusillade
