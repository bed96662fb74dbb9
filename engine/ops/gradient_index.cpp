// Gradients of rows that take and put elements by places that tensors hold.
#include "engine/ops/composite.h"
#include "engine/ops/gradient.h"

namespace fusillade {
namespace {

constexpr std::string_view kHelp = R"py(
prim::grown(Tensor self, int[] size) -> Tensor
    if len(size) != self.dim():
        return self.reshape(size)
    pad: List[int] = []
    for i in range(self.dim()):
        d = self.dim() - 1 - i
        pad = pad + [0, size[d] - self.size(d)]
    return torch.ops.aten.constant_pad_nd(self, pad)

prim::wrapped_index(Tensor index, int[] size, int dim) -> Tensor
    return torch.where(index < 0, index + (size[dim] if len(size) > 0 else 1), index)

prim::embedding_gradient(Tensor grad, Tensor indices, int rows, int columns, int padding_idx, bool by_freq) -> Tensor
    flat = indices.reshape([-1])
    each = grad.reshape([-1, columns])
    if padding_idx >= 0:
        each = each.masked_fill((flat == padding_idx).unsqueeze(1), 0)
    if by_freq:
        ones = torch.ones(flat.size(), dtype=grad.dtype)
        counts = torch.ops.prim.gradient_zeros(grad, [rows]).index_add(0, flat, ones)
        each = each / counts.index_select(0, flat).unsqueeze(1)
    return torch.ops.prim.gradient_zeros(grad, [rows, columns]).index_add(0, flat, each)
)py";

constexpr std::string_view kText = R"py(
aten::index.Tensor
    self: torch.ops.aten.index_put(torch.ops.prim.gradient_zeros(grad, self.size()), indices, grad, True)
aten::index_put
    self: grad if accumulate else torch.ops.aten.index_put(grad, indices, torch.ops.prim.gradient_zeros(grad, values.size()))
    values: torch.ops.aten.index(grad, indices)
prim::index_set_
    self: torch.ops.aten.index_put(grad, indices, torch.ops.prim.gradient_zeros(grad, values.size()))
    values: torch.ops.aten.index(grad, indices)
prim::index_accumulate_
    self: grad
    values: torch.ops.aten.index(grad, indices)
aten::index_select
    self: torch.ops.prim.gradient_zeros(grad, self.size()).index_add(dim, index, grad)
aten::embedding
    weight: torch.ops.prim.embedding_gradient(grad, indices, weight.size(0), weight.size(1), padding_idx, scale_grad_by_freq)
aten::gather
    self: torch.ops.prim.gradient_zeros(grad, self.size()).scatter_add(dim, index, grad)
aten::masked_select
    self: torch.ops.prim.gradient_zeros(grad, torch.ops.aten._infer_size(self.size(), mask.size())).masked_scatter(mask, grad)
aten::scatter.src
    self: grad.scatter(dim, index, 0)
    src: torch.ops.prim.grown(grad.gather(dim, index), src.size())
aten::scatter.value
    self: grad.scatter(dim, index, 0)
aten::scatter_add
    self: grad
    src: torch.ops.prim.grown(grad.gather(dim, index), src.size())
prim::scatter_set_
    self: grad.scatter(dim, index, 0)
    source: torch.ops.prim.grown(grad.gather(dim, index), source.size())
prim::scatter_accumulate_
    self: grad
    source: torch.ops.prim.grown(grad.gather(dim, index), source.size())
aten::index_add
    self: grad
    source: torch.atleast_1d(grad).index_select(dim, index).reshape(source.size()) * alpha
aten::index_copy
    self: grad.index_fill(dim, index, 0)
    source: torch.atleast_1d(grad).index_select(dim, index).reshape(source.size())
aten::index_fill.int_Scalar
    self: grad.index_fill(dim, index, 0)
aten::index_fill.int_Tensor
    self: grad.index_fill(dim, torch.ops.prim.wrapped_index(index, self.size(), dim), 0)
    value:
        places = torch.ops.prim.wrapped_index(index, self.size(), dim)
        kept = torch.ones_like(grad).index_fill(dim, places, 0)
        return grad.masked_fill(kept != 0, 0)
prim::slices_set_
    self: grad.index_fill(dim, index, 0)
    source: grad.index_select(dim, index).reshape(source.size())
prim::slices_accumulate_
    self: grad
    source: grad.index_select(dim, index).reshape(source.size())
)py";

[[maybe_unused]] const bool kRegistered = [] {
  add_scripted(kHelp, "gradient_index");
  add_gradients(kText);
  return true;
}();

}  // namespace
}  // namespace fusillade
