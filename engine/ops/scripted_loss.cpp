// Rows in the language: losses with margins, the Poisson loss.
#include "engine/ops/composite.h"

namespace fusillade {
namespace {

constexpr std::string_view kLosses = R"py(
prim::reduced_loss(Tensor loss, int reduction) -> Tensor
    if reduction == 0:
        return loss
    return loss.mean() if reduction == 1 else loss.sum()

aten::poisson_nll_loss(Tensor input, Tensor target, bool log_input, bool full, float eps, int reduction) -> Tensor
    loss = input.exp() - target * input if log_input else input - target * (input + eps).log()
    if full:
        stirling = target * target.log() - target + 0.5 * (6.283185307179586 * target).log()
        loss = loss + stirling.masked_fill(target <= 1, 0)
    return torch.ops.prim.reduced_loss(loss, reduction)

aten::margin_ranking_loss(Tensor input1, Tensor input2, Tensor target, float margin=0.0, int reduction=1) -> Tensor
    return torch.ops.prim.reduced_loss((-target * (input1 - input2) + margin).clamp_min(0), reduction)

aten::hinge_embedding_loss(Tensor self, Tensor target, float margin=1.0, int reduction=1) -> Tensor
    far = torch.where(target != 1, (margin - self).clamp_min(0), torch.zeros_like(self))
    near = torch.where(target != -1, self, torch.zeros_like(self))
    return torch.ops.prim.reduced_loss(far + near, reduction)

aten::soft_margin_loss(Tensor self, Tensor target, int reduction=1) -> Tensor
    return torch.ops.prim.reduced_loss(((-target * self).exp() + 1).log(), reduction)

aten::triplet_margin_loss(Tensor anchor, Tensor positive, Tensor negative, float margin=1.0, float p=2.0, float eps=1e-06, bool swap=False, int reduction=1) -> Tensor
    near = torch.pairwise_distance(anchor, positive, p, eps)
    far = torch.pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = torch.minimum(far, torch.pairwise_distance(positive, negative, p, eps))
    return torch.ops.prim.reduced_loss((margin + near - far).clamp_min(0), reduction)

aten::cosine_embedding_loss(Tensor input1, Tensor input2, Tensor target, float margin=0.0, int reduction=1) -> Tensor
    products = (input1 * input2).sum([-1])
    lengths = ((input1 * input1).sum([-1]) + 1e-12) * ((input2 * input2).sum([-1]) + 1e-12)
    cosine = products / lengths.sqrt()
    zero = torch.zeros_like(cosine)
    near = torch.where(target == 1, 1 - cosine, zero)
    far = torch.where(target == -1, (cosine - margin).clamp_min(0), zero)
    return torch.ops.prim.reduced_loss(near + far, reduction)
)py";

[[maybe_unused]] const bool kRegistered = [] {
  add_scripted(kLosses, "scripted_loss");
  return true;
}();

}  // namespace
}  // namespace fusillade
