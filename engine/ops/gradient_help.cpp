// Rows that gradients are made of: sums over what was broadcast, places of views, products without
// one factor. In the language, so that their own gradients are known.
#include "engine/ops/composite.h"

namespace fusillade {
namespace {

constexpr std::string_view kText = R"py(
prim::gradient_like(Tensor grad, int[] size, ScalarType dtype) -> Tensor
    return grad.sum_to_size(size).to(dtype)

prim::gradient_sum(Tensor a, Tensor b) -> Tensor
    return a + b

prim::gradient_zeros(Tensor grad, int[] size) -> Tensor
    return torch.zeros(size, dtype=grad.dtype, device=grad.device)

prim::view_places(int count, int[] size, int[] stride, int offset) -> Tensor
    return torch.arange(count).as_strided(size, stride, offset).reshape([-1])

prim::view_reach(int[] size, int[] stride, int[] part, int[] steps, int offset) -> int
    return max(torch.ops.prim.reached_by(size, stride), torch.ops.prim.reached_by(part, steps) + offset)

prim::gradient_of_part(Tensor grad, int[] size, int[] stride, int[] part, int[] steps, int offset) -> Tensor
    count = torch.ops.prim.view_reach(size, stride, part, steps, offset)
    into = torch.ops.prim.view_places(count, part, steps, offset)
    own = torch.ops.prim.view_places(count, size, stride, 0)
    zeros = torch.ops.prim.gradient_zeros(grad, [count])
    shares = zeros.index_add(0, own, torch.ones(own.size(), dtype=grad.dtype)).clamp_min(1)
    whole = zeros.index_add(0, into, grad.reshape([-1])) / shares
    return whole.index_select(0, own).reshape(size)

prim::part_of_gradient(Tensor grad, int[] size, int[] stride, int[] part, int[] steps, int offset) -> Tensor
    count = torch.ops.prim.view_reach(size, stride, part, steps, offset)
    into = torch.ops.prim.view_places(count, size, stride, 0)
    whole = torch.ops.prim.gradient_zeros(grad, [count]).index_add(0, into, grad.reshape([-1]))
    return whole.index_select(0, torch.ops.prim.view_places(count, part, steps, offset)).reshape(part)

prim::rest_of_gradient(Tensor grad, Tensor? own, int[] size, int[] stride, int[] part, int[] steps, int offset) -> Tensor
    count = torch.ops.prim.view_reach(size, stride, part, steps, offset)
    from_places = torch.ops.prim.view_places(count, size, stride, 0)
    part_places = torch.ops.prim.view_places(count, part, steps, offset)
    whole = torch.ops.prim.gradient_zeros(grad, [count]).index_add(0, from_places, grad.reshape([-1]))
    whole = whole.index_fill(0, part_places, 0)
    if own is not None:
        whole = whole.index_add(0, part_places, own.reshape([-1]))
    return whole.index_select(0, from_places).reshape(size)

prim::restored(Tensor self, int[]? dim, bool keepdim, int rank) -> Tensor
    if keepdim or rank == 0:
        return self
    if dim is None or len(dim) == 0:
        return self.reshape([1] * rank)
    wrapped = [d % rank for d in dim]
    out = self
    for i in range(rank):
        if i in wrapped:
            out = out.unsqueeze(i)
    return out

prim::count_over(Tensor self, int[]? dim) -> int
    if dim is None or len(dim) == 0 or self.dim() == 0:
        return self.numel()
    count = 1
    for d in dim:
        count = count * self.size(d)
    return count

prim::product_of_others(Tensor self, int dim) -> Tensor
    if self.dim() == 0:
        return torch.ones_like(self)
    length = self.size(dim)
    one = torch.ones_like(self.narrow(dim, 0, min(length, 1)))
    before = torch.cat([one, self.narrow(dim, 0, max(length - 1, 0))], dim).cumprod(dim)
    turned = self.flip([dim])
    after = torch.cat([one, turned.narrow(dim, 0, max(length - 1, 0))], dim).cumprod(dim).flip([dim])
    return before * after

prim::even_share(Tensor grad, Tensor same, int[]? dim) -> Tensor
    chosen = same.to(grad.dtype)
    if dim is None or len(dim) == 0:
        return chosen * (grad / chosen.sum())
    return grad * chosen / chosen.sum(dim, True)
)py";

[[maybe_unused]] const bool kRegistered = [] {
  add_scripted(kText, "gradient_help");
  return true;
}();

}  // namespace
}  // namespace fusillade
