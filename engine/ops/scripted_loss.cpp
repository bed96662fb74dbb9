// Rows in the language: losses with margins, and dropouts that keep mean and variance. A reduction
// is ATen's: 0 none, 1 mean, 2 sum.
#include "engine/ops/composite.h"

namespace fusillade {
namespace {

constexpr std::string_view kLosses = R"py(
prim::reduced(Tensor loss, int reduction) -> Tensor
    if reduction == 0:
        return loss
    return loss.mean() if reduction == 1 else loss.sum()

aten::l1_loss(Tensor self, Tensor target, int reduction=1) -> Tensor
    loss = (self - target).abs()
    if reduction == 1 and not loss.is_floating_point():
        raise RuntimeError("a mean takes numbers of floats")
    return torch.ops.prim.reduced(loss, reduction if reduction == 1 or reduction == 2 else 0)

aten::poisson_nll_loss(Tensor input, Tensor target, bool log_input, bool full, float eps, int reduction) -> Tensor
    loss = input.exp() - target * input if log_input else input - target * (input + eps).log()
    if full:
        stirling = target * target.log() - target + 0.5 * (2 * math.pi * target).log()
        loss = loss + stirling.masked_fill(target <= 1, 0)
    return torch.ops.prim.reduced(loss, reduction)

aten::margin_ranking_loss(Tensor input1, Tensor input2, Tensor target, float margin=0., int reduction=1) -> Tensor
    return torch.ops.prim.reduced((-target * (input1 - input2) + margin).clamp_min(0), reduction)

aten::hinge_embedding_loss(Tensor self, Tensor target, float margin=1., int reduction=1) -> Tensor
    far = torch.where(target != 1, (margin - self).clamp_min(0), torch.zeros_like(self))
    near = torch.where(target != -1, self, torch.zeros_like(self))
    return torch.ops.prim.reduced(far + near, reduction)

aten::soft_margin_loss(Tensor self, Tensor target, int reduction=1) -> Tensor
    return torch.ops.prim.reduced(torch.log1p((-target * self).exp()), reduction)

aten::triplet_margin_loss(Tensor anchor, Tensor positive, Tensor negative, float margin=1., float p=2., float eps=1e-06, bool swap=False, int reduction=1) -> Tensor
    near = torch.pairwise_distance(anchor, positive, p, eps)
    far = torch.pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = torch.minimum(far, torch.pairwise_distance(positive, negative, p, eps))
    return torch.ops.prim.reduced((margin + near - far).clamp_min(0), reduction)

aten::cosine_embedding_loss(Tensor input1, Tensor input2, Tensor target, float margin=0., int reduction=1) -> Tensor
    products = (input1 * input2).sum([-1])
    lengths = ((input1 * input1).sum([-1]) + 1e-12) * ((input2 * input2).sum([-1]) + 1e-12)
    cosine = products / lengths.sqrt()
    far = (cosine - margin).clamp_min(0)
    zero = torch.zeros_like(cosine)
    return torch.ops.prim.reduced(torch.where(target == 1, 1 - cosine, zero) + torch.where(target == -1, far, zero), reduction)

aten::multi_margin_loss(Tensor self, Tensor target, Scalar p=1, Scalar margin=1, Tensor? weight=None, int reduction=1) -> Tensor
    x = self if self.dim() == 2 else self.reshape([1, self.numel()])
    if weight is not None and (weight.dim() != 1 or weight.shape[0] != x.shape[1] or weight.dtype != x.dtype):
        raise RuntimeError("multi_margin_loss takes a weight for each class, of the input's dtype")
    y = target.reshape([-1, 1])
    far = float(margin) - x.gather(1, y) + x
    terms = far * far if float(p) == 2.0 else far
    if weight is not None:
        terms = terms * weight.index_select(0, y.flatten()).unsqueeze(1)
    terms = torch.where(far > 0, terms, torch.zeros_like(far))
    loss = terms.scatter(1, y, 0.0).sum([1]) / x.shape[1]
    return torch.ops.prim.reduced(loss if self.dim() == 2 else loss.reshape(target.shape), reduction)

aten::multilabel_margin_loss(Tensor self, Tensor target, int reduction=1) -> Tensor
    if self.shape != target.shape or self.dim() > 2:
        raise RuntimeError("multilabel_margin_loss takes scores and classes of one shape, in at most two dims")
    shape = self.shape if self.dim() == 2 else [1, self.numel()]
    x, classes = self.reshape(shape), target.reshape(shape)
    named = (classes < 0).to(torch.int64).cumsum(1) == 0
    places = classes.clamp_min(0)
    wanted = torch.zeros(x.shape, dtype=torch.int64).scatter_add(1, places, named.to(torch.int64)) > 0
    margins = 1 - x.gather(1, places).unsqueeze(2) + x.unsqueeze(1)
    counts = named.unsqueeze(2) & ~wanted.unsqueeze(1) & (margins > 0)
    loss = margins.masked_fill(~counts, 0).sum([1, 2]) / x.shape[1]
    return torch.ops.prim.reduced(loss if self.dim() == 2 else loss.squeeze(0), reduction)

aten::norm_except_dim(Tensor v, int pow=2, int dim=0) -> Tensor
    if dim == -1:
        return v.norm(pow)
    if v.shape[dim] == 0:
        raise RuntimeError("norm_except_dim takes no tensor that is empty along the dim")
    whole = v.unsqueeze(-1)
    return whole.norm(pow, [i for i in range(whole.dim()) if i != dim], True).squeeze(-1)

aten::_weight_norm(Tensor v, Tensor g, int dim=0) -> Tensor
    return v * (g / torch.norm_except_dim(v, 2, dim))

aten::bilinear(Tensor input1, Tensor input2, Tensor weight, Tensor? bias=None) -> Tensor
    if weight.dtype != input1.dtype or weight.dtype != input2.dtype or (bias is not None and bias.dtype != weight.dtype):
        raise RuntimeError("bilinear takes inputs, a weight and a bias of one dtype")
    if bias is not None and bias.numel() > 0 and bias.shape[0] != weight.shape[0]:
        raise RuntimeError("bilinear takes a bias for each output")
    if input1.shape[:-1] != input2.shape[:-1]:
        raise RuntimeError("bilinear takes inputs that agree in all dims but the last")
    if input1.shape[-1] == 0 or input2.shape[-1] == 0:
        raise RuntimeError("bilinear takes inputs with features")
    left = input1.unsqueeze(-2).unsqueeze(-2).matmul(weight).squeeze(-2)
    out = (left * input2.unsqueeze(-2)).sum([-1])
    return out if bias is None else out + bias
)py";

constexpr std::string_view kDropouts = R"py(
prim::alpha_kept(Tensor input, Tensor kept, float p) -> Tensor
    alpha = 1.7580993408473766
    a = 1.0 / math.sqrt((alpha * alpha * p + 1.0) * (1.0 - p))
    return input * (kept * a) + ((kept - 1) * (alpha * a) + alpha * a * p)

aten::alpha_dropout(Tensor input, float p, bool train) -> Tensor  # random if train and p > 0 and p < 1 and input
    if not (p >= 0.0 and p <= 1.0):
        raise RuntimeError("the probability of a dropout is between 0 and 1")
    if not train or p == 0.0:
        return input.clone()
    if p == 1.0:
        return torch.zeros_like(input)
    return torch.ops.prim.alpha_kept(input, (torch.rand_like(input) >= p).to(input.dtype), p)

aten::feature_alpha_dropout(Tensor input, float p, bool train) -> Tensor  # random if train and p > 0 and p < 1 and input
    if not (p >= 0.0 and p <= 1.0):
        raise RuntimeError("the probability of a dropout is between 0 and 1")
    if not train or p == 0.0:
        return input.clone()
    if input.dim() < 2:
        raise RuntimeError("a dropout of features takes an input of two dims or more")
    if p == 1.0:
        return torch.zeros_like(input)
    shape = [input.shape[0], input.shape[1]] + [1] * (input.dim() - 2)
    return torch.ops.prim.alpha_kept(input, (torch.rand(shape, dtype=input.dtype) >= p).to(input.dtype), p)

aten::native_dropout(Tensor input, float p, bool? train) -> (Tensor, Tensor)  # random if train and p > 0 and p < 1 and input
    if train is not None and not train:
        return input.clone(), torch.ones_like(input, dtype=torch.bool)
    if input.numel() == 0:
        return input.clone(), torch.empty_like(input)
    if not input.is_floating_point() or not (p >= 0.0 and p <= 1.0):
        raise RuntimeError("native_dropout takes a tensor of floats and a probability between 0 and 1")
    kept = torch.ones_like(input, dtype=torch.bool) if p == 0.0 else torch.zeros_like(input, dtype=torch.bool)
    if p > 0.0 and p < 1.0:
        kept = torch.rand_like(input) >= p
    scale = 0.0 if p == 1.0 else 1.0 / (1.0 - p)
    return input * kept * scale, kept

aten::alpha_dropout_(Tensor(a!) self, float p, bool train) -> Tensor(a!)  # random if train and p > 0 and p < 1 and self
    made = torch.alpha_dropout(self, p, train)
    return self.copy_(made) if train else self

aten::feature_alpha_dropout_(Tensor(a!) self, float p, bool train) -> Tensor(a!)  # random if train and p > 0 and p < 1 and self
    made = torch.feature_alpha_dropout(self, p, train)
    return self.copy_(made) if train else self

aten::rrelu_(Tensor(a!) self, Scalar lower=0.125, Scalar upper=0.33333333333333331, bool training=False, Generator? generator=None) -> Tensor(a!)  # random if training and self and lower < upper
    return self.copy_(torch.rrelu(self, lower, upper, training))
)py";

[[maybe_unused]] const bool kRegistered = [] {
  for (std::string_view text : {kLosses, kDropouts}) add_scripted(text, "loss");
  return true;
}();

}  // namespace
}  // namespace fusillade
