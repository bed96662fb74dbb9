# Tensors seen with other dims, and parts of them written.

aten::ravel(Tensor(a) self) -> Tensor(a)
    return self.reshape([-1])

aten::mT(Tensor(a) self) -> Tensor(a)
    if self.dim() == 1:
        raise RuntimeError("mT takes no tensor of one dim")
    return self.transpose(-2, -1) if self.dim() > 1 else self

aten::mH(Tensor(a) self) -> Tensor(a)
    if self.dim() == 1:
        raise RuntimeError("mH takes no tensor of one dim")
    return self.transpose(-2, -1) if self.dim() > 1 else self

aten::adjoint(Tensor(a) self) -> Tensor(a)
    if self.dim() == 1:
        raise RuntimeError("adjoint takes no tensor of one dim")
    return self.transpose(-2, -1) if self.dim() > 1 else self

aten::movedim.intlist(Tensor(a) self, int[] source, int[] destination) -> Tensor(a)
    rank = self.dim()
    if len(source) != len(destination):
        raise RuntimeError("movedim: as many destinations as sources")
    order = [-1] * rank
    left = [i for i in range(rank)]
    for i in range(len(source)):
        a, b = source[i], destination[i]
        if a < -rank or a >= rank or b < -rank or b >= rank:
            raise RuntimeError("movedim: a dim is out of range")
        a, b = a % rank, b % rank
        if order[b] >= 0 or a not in left:
            raise RuntimeError("movedim: a dim is named twice")
        order[b] = a
        left.remove(a)
    for i in range(rank):
        if order[i] < 0:
            order[i] = left.pop(0)
    return self.permute(order)
    draw self=a[N,M,K] source=<0,1>|<-1> destination=<2,0>|<0>

aten::atleast_1d(Tensor(a) self) -> Tensor(a)
    return self.reshape([1]) if self.dim() == 0 else self

aten::atleast_2d(Tensor(a) self) -> Tensor(a)
    return self.reshape([1, -1]) if self.dim() < 2 else self

aten::atleast_3d(Tensor(a) self) -> Tensor(a)
    if self.dim() == 2:
        return self.unsqueeze(-1)
    return self.reshape([1, -1, 1]) if self.dim() < 2 else self

aten::atleast_1d.Sequence(Tensor(a -> *)[] tensors) -> Tensor(a)[]
    return [torch.atleast_1d(t) for t in tensors]

aten::atleast_2d.Sequence(Tensor(a -> *)[] tensors) -> Tensor(a)[]
    return [torch.atleast_2d(t) for t in tensors]

aten::atleast_3d.Sequence(Tensor(a -> *)[] tensors) -> Tensor(a)[]
    return [torch.atleast_3d(t) for t in tensors]

aten::tensor_split.sections(Tensor(a -> *) self, int sections, int dim=0) -> Tensor(a)[]
    if self.dim() == 0 or sections < 1:
        raise RuntimeError(
            "tensor_split takes a tensor of one or more dims and one or more sections"
        )
    size = self.shape[dim]
    least, more = size // sections, size % sections
    parts: List[Tensor] = []
    start = 0
    for i in range(sections):
        length = least + 1 if i < more else least
        parts.append(self.narrow(dim, start, length))
        start = start + length
    return parts

aten::tensor_split.indices(Tensor(a -> *) self, int[] indices, int dim=0) -> Tensor(a)[]
    if self.dim() == 0:
        raise RuntimeError("tensor_split takes a tensor of one or more dims")
    parts: List[Tensor] = []
    start = 0
    for end in indices:
        parts.append(self.slice(dim, start, end, 1))
        start = end
    parts.append(self.slice(dim, start, None, 1))
    return parts

aten::tensor_split.tensor_indices_or_sections(Tensor(a -> *) self,
        Tensor tensor_indices_or_sections, int dim=0) -> Tensor(a)[]
    where = tensor_indices_or_sections
    if where.dtype != torch.int64 or where.dim() > 1:
        raise RuntimeError("tensor_split takes a vector of int64, or one number")
    if where.dim() == 0:
        return self.tensor_split(int(where), dim)
    indices = [int(where[i]) for i in range(where.numel())]
    return self.tensor_split(indices, dim)
    draw self=a[N,M] tensor_indices_or_sections=l[2]{1..3}|l[]{1..3}

aten::hsplit.int(Tensor(a -> *) self, int sections) -> Tensor(a)[]
    if self.dim() == 0:
        raise RuntimeError("hsplit takes a tensor of one or more dims")
    at = 0 if self.dim() == 1 else 1
    if sections == 0 or self.shape[at] % sections != 0:
        raise RuntimeError("hsplit: the dim does not split into equal sections")
    return self.tensor_split(sections, at)
    draw self=a[N,2M] sections=1..2

aten::hsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]
    return self.tensor_split(indices, 0 if self.dim() == 1 else 1)

aten::vsplit.int(Tensor(a -> *) self, int sections) -> Tensor(a)[]
    if self.dim() < 2:
        raise RuntimeError("vsplit takes a tensor of two or more dims")
    if sections == 0 or self.shape[0] % sections != 0:
        raise RuntimeError("vsplit: the dim does not split into equal sections")
    return self.tensor_split(sections, 0)
    draw self=a[2N,M] sections=1..2

aten::vsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]
    if self.dim() < 2:
        raise RuntimeError("vsplit takes a tensor of two or more dims")
    return self.tensor_split(indices, 0)

aten::dsplit.int(Tensor(a -> *) self, int sections) -> Tensor(a)[]
    if self.dim() < 3:
        raise RuntimeError("dsplit takes a tensor of three or more dims")
    if sections == 0 or self.shape[2] % sections != 0:
        raise RuntimeError("dsplit: the dim does not split into equal sections")
    return self.tensor_split(sections, 2)
    draw self=a[N,M,2K] sections=1..2

aten::dsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]
    if self.dim() < 3:
        raise RuntimeError("dsplit takes a tensor of three or more dims")
    return self.tensor_split(indices, 2)
    draw self=a[N,M,K] indices=<1>|<1,2>

aten::select_scatter(Tensor self, Tensor src, int dim, int index) -> Tensor
    out = self.clone()
    target = out.select(dim, index)
    if target.shape != src.shape:
        raise RuntimeError("select_scatter: src has the shape of what it replaces")
    target.copy_(src)
    return out
    draw self=a[N,M] src==[M] dim=0 index=0 N=1..5

aten::slice_scatter(Tensor self, Tensor src, int dim=0, int? start=None, int? end=None,
                    int step=1) -> Tensor
    out = self.clone()
    target = out.slice(dim, start, end, step)
    if target.shape != src.shape:
        raise RuntimeError("slice_scatter: src has the shape of what it replaces")
    target.copy_(src)
    return out
    draw self=a[N,M] src==[2,M] dim=0 start=0 end=2 step=1 N=2..5

aten::diagonal_scatter(Tensor self, Tensor src, int offset=0, int dim1=0, int dim2=1) -> Tensor
    out = self.clone()
    target = out.diagonal(offset, dim1, dim2)
    if target.shape != src.shape:
        raise RuntimeError("diagonal_scatter: src has the shape of what it replaces")
    target.copy_(src)
    return out
    draw self=a[N,N] src==[N] offset=0 dim1=0 dim2=1

aten::linalg_diagonal(Tensor(a) A, *, int offset=0, int dim1=-2, int dim2=-1) -> Tensor(a)
    return A.diagonal(offset, dim1, dim2)

prim::remove_dims(Tensor self, int[] dims) -> Tensor
    gone = [d % max(self.dim(), 1) for d in dims]
    return self.reshape([self.shape[i] for i in range(self.dim()) if i not in gone])

aten::squeeze.dims(Tensor(a) self, int[] dim) -> Tensor(a)
    since 2
    gone = torch.ops.prim.named_dims(self, dim, "squeeze")
    out = self
    for i in range(self.dim()):
        d = self.dim() - 1 - i
        if d in gone:
            out = out.squeeze(d)
    return out

# Of operators in C++.
aten::alias, aten::real, aten::contiguous, aten::clone, aten::expand, aten::broadcast_to
    gradient self: grad
aten::expand_as
    gradient self: grad
    gradient other: none
prim::require_floating, prim::lines_checked, prim::vector, aten::conj, aten::resolve_conj,
aten::resolve_neg, aten::positive
    gradient self: grad
aten::detach, aten::detach_, prim::data, aten::requires_grad_, aten::retain_grad,
prim::attention_mask
    gradient none
aten::reshape, aten::view, aten::flatten.using_ints, aten::unflatten.int
    gradient self: grad.reshape(self.size())
aten::reshape_as, aten::view_as
    gradient self: grad.reshape(self.size())
    gradient other: none
aten::squeeze, aten::squeeze.dim, aten::unsqueeze
    gradient self: grad.reshape(self.size())
aten::permute
    gradient self: torch.ops.prim.permute_back(grad, dims)
aten::transpose.int, aten::swapdims
    gradient self: grad.transpose(dim0, dim1)
aten::swapaxes
    gradient self: grad.transpose(axis0, axis1)
aten::t, aten::matrix_H
    gradient self: grad.t()
aten::numpy_T
    gradient self: grad.permute([grad.dim() - 1 - i for i in range(grad.dim())])
aten::movedim.int
    gradient self: grad.movedim(destination, source)
aten::slice.Tensor
    gradient self:
        return torch.slice_scatter(
            torch.ops.prim.gradient_zeros(grad, self.size()), grad, dim, start, end, step
        )
aten::narrow
    gradient self:
        begin = start + self.size(dim) if start < 0 else start
        whole = torch.ops.prim.gradient_zeros(grad, self.size())
        return torch.slice_scatter(whole, grad, dim, begin, begin + length)
aten::select.int
    gradient self:
        return torch.select_scatter(
            torch.ops.prim.gradient_zeros(grad, self.size()), grad, dim, index
        )
aten::diagonal
    gradient self:
        return torch.diagonal_scatter(
            torch.ops.prim.gradient_zeros(grad, self.size()), grad, offset, dim1, dim2
        )
aten::chunk, aten::unsafe_chunk, aten::split.Tensor, aten::split_with_sizes, aten::split.sizes
    gradient self: torch.cat(grad, dim)
aten::unbind.int
    gradient self:
        return (
            torch.stack(grad, dim) if len(grad) > 0 else torch.zeros(self.size(), dtype=self.dtype)
        )
aten::broadcast_to
    draw self=a[1,M] size=<N,M>|<-1,M>|<2,N,M>
aten::reshape_as
    draw self=a[N,M] other=a[M,N]|a[NM]
aten::split.sizes
    draw self=a[N,M] split_size=<1,N-1> dim=0 N=1..9
aten::split_with_sizes
    draw self=a[N,M] split_sizes=<1,N-1> dim=0 N=1..9
aten::unflatten.int
    draw self=a[2N,M] dim=0 sizes=<2,N>|<-1,2>
aten::view_as
    draw self=a[N,M] other=a[N,M]|a[N,M,1]

aten::unsqueeze_, aten::squeeze_, aten::squeeze_.dim, aten::squeeze_.dims, aten::t_,
aten::transpose_, aten::swapaxes_, aten::swapdims_, aten::as_strided_, aten::resize_,
aten::resize_as_, prim::fit_to
    traits reshapes

aten::squeeze_.dims
    since 2

aten::detach, aten::detach_
    slopes detached

aten::expand, aten::expand_as, aten::broadcast_to
    traits expands

aten::t, aten::transpose.int, aten::squeeze, aten::squeeze.dim, aten::squeeze.dims, aten::unsqueeze,
aten::permute
    traits by rank

aten::select.int, aten::slice.Tensor
    traits slices dim

aten::reshape, aten::view, aten::flatten.using_ints, aten::contiguous
    traits keeps order

aten::size, aten::dim, aten::numel
    traits total

# Forms with `out=`: of one result that is never cast, or with names that results do not have.
aten::alias_copy, aten::as_strided_copy, aten::diagonal_copy, aten::expand_copy, aten::narrow_copy,
aten::permute_copy, aten::squeeze_copy, aten::squeeze_copy.dim, aten::t_copy,
aten::transpose_copy.int, aten::unfold_copy, aten::view_copy, aten::unsqueeze_copy,
aten::slice_scatter
    out exact
