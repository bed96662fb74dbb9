// Gradients of views and of rows that move elements: joins, repetitions, padding, windows.
//
// A row whose places are not easily said in reverse says them by geometry: what lands on an element
// is summed where the result's strides lead (prim::gradient_of_part), or where the row itself takes
// numbered places to (prim::gradient_by_places).
#include "engine/ops/composite.h"
#include "engine/ops/gradient.h"
#include "engine/ops/scalar_row.h"

namespace fusillade {
namespace {

using Values = std::span<const IValue>;

constexpr std::string_view kHelp = R"py(
prim::gradient_by_places(Tensor grad, Tensor places, int[] size) -> Tensor
    count = 1
    for n in size:
        count = count * n
    flat = places.reshape([-1])
    into = torch.where(flat < 0, torch.full_like(flat, count), flat)
    whole = torch.ops.prim.gradient_zeros(grad, [count + 1]).index_add(0, into, grad.reshape([-1]))
    return whole.narrow(0, 0, count).reshape(size)

prim::places(int[] size) -> Tensor
    count = 1
    for n in size:
        count = count * n
    return torch.arange(count).reshape(size)

prim::permuted_back(Tensor grad, int[] dims) -> Tensor
    back = [0] * len(dims)
    for i in range(len(dims)):
        back[dims[i] % len(dims)] = i
    return grad.permute(back)

prim::parts_of(Tensor grad, int[] lengths, int dim) -> Tensor[]
    out: List[Tensor] = []
    at = 0
    for n in lengths:
        if n < 0:
            out.append(torch.ops.prim.gradient_zeros(grad, [0]))
        else:
            out.append(grad.narrow(dim, at, n))
            at = at + n
    return out

prim::summed_repeats(Tensor grad, int[] size, int[] repeats) -> Tensor
    if 0 in repeats:
        return torch.ops.prim.gradient_zeros(grad, size)
    out = grad
    new = len(repeats) - len(size)
    for i in range(new):
        out = out.sum([0])
    for d in range(len(size)):
        if repeats[new + d] != 1 and size[d] > 0:
            out = torch.stack(out.split(size[d], d)).sum([0])
    return out
)py";

constexpr std::string_view kText = R"py(
aten::alias, aten::real, aten::contiguous, aten::clone, aten::expand, aten::broadcast_to
    self: grad
aten::expand_as
    self: grad
    other: none
prim::classes_checked
    self: grad
    weight: none
prim::require_floating, prim::lines_checked, prim::vector, aten::conj, aten::resolve_conj, aten::resolve_neg, aten::positive
    self: grad
prim::of_one_dtype
    self: grad
    other: none
prim::one_value
    value: grad
prim::layer_checked
    input: grad
    weight, bias: none
prim::batch_checked
    input: grad
    weight, bias, running_mean, running_var: none
aten::detach, aten::detach_, prim::data, aten::requires_grad_, aten::retain_grad, prim::attention_mask
    none
aten::reshape, aten::view, aten::flatten.using_ints, aten::unflatten.int
    self: grad.reshape(self.size())
aten::reshape_as, aten::view_as
    self: grad.reshape(self.size())
    other: none
aten::squeeze, aten::squeeze.dim, aten::unsqueeze
    self: grad.reshape(self.size())
prim::grouped
    input: grad.reshape(input.size())
    weight, bias: none
prim::conv_columns, prim::im2col_columns
    windows: grad.reshape(windows.size())
prim::conv_result
    product: grad.reshape(product.size())
    windows, input: none
aten::permute
    self: torch.ops.prim.permuted_back(grad, dims)
aten::transpose.int, aten::swapdims
    self: grad.transpose(dim0, dim1)
aten::swapaxes
    self: grad.transpose(axis0, axis1)
aten::t, aten::matrix_H
    self: grad.t()
aten::numpy_T
    self: grad.permute([grad.dim() - 1 - i for i in range(grad.dim())])
aten::movedim.int
    self: grad.movedim(destination, source)
aten::slice.Tensor
    self: torch.slice_scatter(torch.ops.prim.gradient_zeros(grad, self.size()), grad, dim, start, end, step)
aten::narrow
    self:
        begin = start + self.size(dim) if start < 0 else start
        whole = torch.ops.prim.gradient_zeros(grad, self.size())
        return torch.slice_scatter(whole, grad, dim, begin, begin + length)
aten::select.int
    self: torch.select_scatter(torch.ops.prim.gradient_zeros(grad, self.size()), grad, dim, index)
aten::diagonal
    self: torch.diagonal_scatter(torch.ops.prim.gradient_zeros(grad, self.size()), grad, offset, dim1, dim2)
aten::chunk, aten::unsafe_chunk, aten::split.Tensor, aten::split_with_sizes, aten::split.sizes
    self: torch.cat(grad, dim)
aten::unsafe_split.Tensor, aten::unsafe_split_with_sizes
    self: torch.cat(grad, dim)
aten::unbind.int
    self: torch.stack(grad, dim) if len(grad) > 0 else torch.zeros(self.size(), dtype=self.dtype)
aten::broadcast_tensors
    tensors: grad
aten::as_strided
    self:
        own = self.storage_offset()
        at = own if storage_offset is None else storage_offset
        low = min(own, at)
        if own == low:
            return torch.ops.prim.gradient_of_part(grad, self.size(), self.stride(), size, stride, at - own)
        raise RuntimeError("as_strided: no gradient of elements before the tensor's first")
prim::triangle
    self: grad.triu(diagonal) if upper else grad.tril(diagonal)
aten::unfold, prim::windows, prim::channels
    self: torch.ops.prim.gradient_of_part(grad, self.size(), self.stride(), result.size(), result.stride(), result.storage_offset() - self.storage_offset())
prim::windows_outside
    windows: grad.transpose(-4, -2).transpose(-3, -1)
prim::conv_windows
    padded: torch.ops.prim.gradient_of_part(grad, padded.size(), padded.stride(), result.size(), result.stride(), result.storage_offset() - padded.storage_offset())
    weight: none
aten::cat
    tensors: torch.ops.prim.parts_of(grad, torch.ops.prim.lengths(tensors, dim), dim)
aten::stack
    tensors: torch.unbind(grad, dim)
aten::copy_
    self: torch.zeros_like(grad)
    src: grad
aten::fill_.Scalar, aten::zero_
    self: torch.zeros_like(grad)
aten::fill_.Tensor
    self: torch.zeros_like(grad)
    value: grad
aten::repeat
    self: torch.ops.prim.summed_repeats(grad, self.size(), repeats)
aten::flip
    self: grad.flip(dims)
aten::roll
    self: grad.roll([-n for n in shifts], dims)
aten::triu
    self: grad.triu(diagonal)
aten::tril
    self: grad.tril(diagonal)
prim::padded
    self: torch.ops.aten.constant_pad_nd(grad, [-n for n in pad])
aten::constant_pad_nd
    self: torch.ops.aten.constant_pad_nd(grad, [-n for n in pad])
prim::padded_by_repeating
    self: torch.ops.prim.gradient_by_places(grad, torch.ops.prim.padded_by_repeating(torch.ops.prim.places(self.size()), pad, mode), self.size())
prim::adaptive_windows
    self: torch.ops.prim.gradient_by_places(grad, torch.ops.prim.adaptive_windows(torch.ops.prim.places(self.size()), output_size, torch.full([], -1, dtype=torch.int64)), self.size())
)py";

// How far each tensor of a cat reaches; -1: one of size [0], which any cat passes over.
IValue lengths(Values v) {
  Dims out;
  int rank = 0;
  for (const IValue& t : v[0].items()) rank = std::max(rank, t.as_tensor().rank());
  if (rank == 0) fail("prim::lengths: tensors of a cat have dimensions");
  for (const IValue& item : v[0].items()) {
    Tensor t = item.as_tensor();
    const bool passed_over = t.rank() != rank;
    out.push_back(passed_over ? -1 : t.sizes()[wrap_dim(v[1].as_int(), rank)]);
  }
  return IValue::int_list(out);
}

[[maybe_unused]] const bool kRegistered = [] {
  ScalarOptions meta;
  meta.generate = false;
  meta.metadata = true;
  add_scalar(
      "prim::lengths(Tensor[] tensors, int dim) -> int[]", [](Values v) { return lengths(v); },
      meta);
  add_scripted(kHelp, "gradient_view");
  add_gradients(kText);
  return true;
}();

}  // namespace
}  // namespace fusillade
