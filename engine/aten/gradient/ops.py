# Parts of gradients: sums over what was broadcast, indices of views, products without one
# factor. In the language, so that their own gradients are known.
#
# An operator whose map of indices is not easily inverted has its gradient by geometry: what lands
# on an element is summed where the result's strides lead (prim::gradient_of_part), or where the
# operator itself moves the indices of the elements (prim::gradient_by_indices).

prim::gradient_like(Tensor grad, int[] size, ScalarType dtype) -> Tensor
    return grad.sum_to_size(size).to(dtype)

prim::gradient_sum(Tensor a, Tensor b) -> Tensor
    return a + b

prim::gradient_zeros(Tensor grad, int[] size) -> Tensor
    return torch.zeros(size, dtype=grad.dtype, device=grad.device)

prim::view_indices(int count, int[] size, int[] stride, int offset) -> Tensor
    return torch.arange(count).as_strided(size, stride, offset).reshape([-1])

prim::view_reach(int[] size, int[] stride, int[] part, int[] steps, int offset) -> int
    return max(
        torch.ops.prim.extent_of(size, stride), torch.ops.prim.extent_of(part, steps) + offset
    )

prim::gradient_of_part(Tensor grad, int[] size, int[] stride, int[] part, int[] steps,
                       int offset) -> Tensor
    count = torch.ops.prim.view_reach(size, stride, part, steps, offset)
    into = torch.ops.prim.view_indices(count, part, steps, offset)
    own = torch.ops.prim.view_indices(count, size, stride, 0)
    zeros = torch.ops.prim.gradient_zeros(grad, [count])
    shares = zeros.index_add(0, own, torch.ones(own.size(), dtype=grad.dtype)).clamp_min(1)
    whole = zeros.index_add(0, into, grad.reshape([-1])) / shares
    return whole.index_select(0, own).reshape(size)

prim::part_of_gradient(Tensor grad, int[] size, int[] stride, int[] part, int[] steps,
                       int offset) -> Tensor
    count = torch.ops.prim.view_reach(size, stride, part, steps, offset)
    into = torch.ops.prim.view_indices(count, size, stride, 0)
    whole = torch.ops.prim.gradient_zeros(grad, [count]).index_add(0, into, grad.reshape([-1]))
    return whole.index_select(0, torch.ops.prim.view_indices(count, part, steps, offset)).reshape(
        part
    )

prim::rest_of_gradient(Tensor grad, Tensor? own, int[] size, int[] stride, int[] part, int[] steps,
                       int offset) -> Tensor
    count = torch.ops.prim.view_reach(size, stride, part, steps, offset)
    own_indices = torch.ops.prim.view_indices(count, size, stride, 0)
    part_indices = torch.ops.prim.view_indices(count, part, steps, offset)
    whole = torch.ops.prim.gradient_zeros(grad, [count]).index_add(
        0, own_indices, grad.reshape([-1])
    )
    whole = whole.index_fill(0, part_indices, 0)
    if own is not None:
        whole = whole.index_add(0, part_indices, own.reshape([-1]))
    return whole.index_select(0, own_indices).reshape(size)

prim::restore_dims(Tensor self, int[]? dim, bool keepdim, int rank) -> Tensor
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
    flipped = self.flip([dim])
    after = (
        torch.cat([one, flipped.narrow(dim, 0, max(length - 1, 0))], dim).cumprod(dim).flip([dim])
    )
    return before * after

prim::even_share(Tensor grad, Tensor same, int[]? dim) -> Tensor
    chosen = same.to(grad.dtype)
    if dim is None or len(dim) == 0:
        return chosen * (grad / chosen.sum())
    return grad * chosen / chosen.sum(dim, True)

prim::gradient_by_indices(Tensor grad, Tensor indices, int[] size) -> Tensor
    count = 1
    for n in size:
        count = count * n
    flat = indices.reshape([-1])
    into = torch.where(flat < 0, torch.full_like(flat, count), flat)
    whole = torch.ops.prim.gradient_zeros(grad, [count + 1]).index_add(0, into, grad.reshape([-1]))
    return whole.narrow(0, 0, count).reshape(size)

prim::element_indices(int[] size) -> Tensor
    count = 1
    for n in size:
        count = count * n
    return torch.arange(count).reshape(size)

prim::permute_back(Tensor grad, int[] dims) -> Tensor
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

prim::sum_repeats(Tensor grad, int[] size, int[] repeats) -> Tensor
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
