# Tensors put one behind the other, or one against each.

aten::vstack(Tensor[] tensors) -> Tensor
    return torch.cat([torch.atleast_2d(t) for t in tensors], 0)
    draw tensors=(a[N,M];=[K,M])|(a[N];=[N])

aten::hstack(Tensor[] tensors) -> Tensor
    whole = [torch.atleast_1d(t) for t in tensors]
    if len(whole) == 0:
        raise RuntimeError("hstack takes at least one tensor")
    return torch.cat(whole, 0 if whole[0].dim() == 1 else 1)
    draw tensors=(a[N,M];=[N,K])|(a[N];=[M])

aten::dstack(Tensor[] tensors) -> Tensor
    return torch.cat([torch.atleast_3d(t) for t in tensors], 2)
    draw tensors=(a[N,M];=[N,M])|(a[N];=[N])

aten::column_stack(Tensor[] tensors) -> Tensor
    return torch.cat([t.reshape([-1, 1]) if t.dim() < 2 else t for t in tensors], 1)
    draw tensors=(a[N,M];=[N];=[N,2])

aten::block_diag(Tensor[] tensors) -> Tensor
    rows, columns = 0, 0
    dtype = tensors[0].dtype if len(tensors) > 0 else torch.float32
    for t in tensors:
        if t.dim() > 2:
            raise RuntimeError("block_diag takes tensors of at most two dims")
        block = torch.atleast_2d(t)
        rows, columns = rows + block.shape[0], columns + block.shape[1]
        dtype = torch.promote_types(dtype, t.dtype)
    out = torch.zeros([rows, columns], dtype=dtype)
    top, left = 0, 0
    for t in tensors:
        block = torch.atleast_2d(t)
        out.narrow(0, top, block.shape[0]).narrow(1, left, block.shape[1]).copy_(block)
        top, left = top + block.shape[0], left + block.shape[1]
    return out
    draw tensors=(n[N,M];=[K];=[])

aten::meshgrid(Tensor[] tensors) -> Tensor[]
    return torch.meshgrid(tensors, indexing="ij")
    draw tensors=(a[N];=[M])

aten::meshgrid.indexing(Tensor[] tensors, *, str indexing) -> Tensor[]
    if len(tensors) == 0 or (indexing != "ij" and indexing != "xy"):
        raise RuntimeError("meshgrid takes one or more tensors, and indexing 'ij' or 'xy'")
    swapped = indexing == "xy" and len(tensors) > 1
    lines = [tensors[1], tensors[0]] + tensors[2:] if swapped else tensors
    sizes: List[int] = []
    for t in lines:
        if t.dim() > 1 or t.dtype != tensors[0].dtype:
            raise RuntimeError("meshgrid takes vectors and numbers of one dtype")
        sizes.append(t.numel())
    out: List[Tensor] = []
    for i in range(len(lines)):
        shape = [1] * len(lines)
        shape[i] = -1
        out.append(lines[i].reshape(shape).expand(sizes).clone())
    return [out[1], out[0]] + out[2:] if swapped else out
    draw tensors=(a[N];=[M])

aten::cartesian_prod(Tensor[] tensors) -> Tensor
    for t in tensors:
        if t.dim() != 1:
            raise RuntimeError("cartesian_prod takes vectors")
    if len(tensors) == 1:
        return tensors[0].clone()
    return torch.stack([t.flatten() for t in torch.meshgrid(tensors)], 1)
    draw tensors=(a[N];=[M])|(a[N])

aten::combinations(Tensor self, int r=2, bool with_replacement=False) -> Tensor
    values
    if self.dim() != 1 or r < 0:
        raise RuntimeError("combinations takes a vector, and r of at least 0")
    if r == 0:
        return self.new_empty([0])
    n = self.shape[0]
    indices = torch.meshgrid([torch.arange(n)] * r)
    kept = torch.ones([n] * r, dtype=torch.bool)
    for i in range(r - 1):
        kept = kept & (
            (indices[i] <= indices[i + 1]) if with_replacement else (indices[i] < indices[i + 1])
        )
    grids = torch.meshgrid([self] * r)
    return torch.stack([g.masked_select(kept) for g in grids], 1).to(self.dtype)
    draw self=a[N] r=0..3 N=0..5

aten::_chunk_cat(Tensor[] tensors, int dim, int num_chunks) -> Tensor
    since 2
    parts: List[Tensor] = []
    for t in tensors:
        if t.dtype != tensors[0].dtype:
            raise RuntimeError("_chunk_cat takes tensors of one dtype")
        if t.numel() == 0:
            raise RuntimeError("_chunk_cat takes tensors that have elements")
        size = t.shape[dim]
        each = (size + num_chunks - 1) // num_chunks
        shape = t.shape.copy()
        shape[dim] = each * num_chunks - size
        whole = torch.cat([t, torch.zeros(shape, dtype=t.dtype)], dim)
        lead: List[int] = t.shape[:dim]
        parts.append(whole.reshape(lead + [num_chunks, -1]))
    return torch.cat(parts, -1)

# Of operators in C++.
aten::cat
    gradient tensors: torch.ops.prim.parts_of(grad, torch.ops.prim.lengths(tensors, dim), dim)
aten::stack
    gradient tensors: torch.unbind(grad, dim)
aten::copy_
    gradient self: torch.zeros_like(grad)
    gradient src: grad

aten::cat, aten::stack
    traits join
