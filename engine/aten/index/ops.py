# Elements read and written at indices that tensors contain, and bags of embeddings.

prim::grow(Tensor self, int[] size) -> Tensor
    if len(size) != self.dim():
        return self.reshape(size)
    pad: List[int] = []
    for i in range(self.dim()):
        d = self.dim() - 1 - i
        pad = pad + [0, size[d] - self.size(d)]
    return torch.ops.aten.constant_pad_nd(self, pad)

prim::wrapped_index(Tensor index, int[] size, int dim) -> Tensor
    return torch.where(index < 0, index + (size[dim] if len(size) > 0 else 1), index)

prim::embedding_gradient(Tensor grad, Tensor indices, int rows, int columns, int padding_idx,
                         bool by_freq) -> Tensor
    flat = indices.reshape([-1])
    each = grad.reshape([-1, columns])
    if padding_idx >= 0:
        each = each.masked_fill((flat == padding_idx).unsqueeze(1), 0)
    if by_freq:
        ones = torch.ones(flat.size(), dtype=grad.dtype)
        counts = torch.ops.prim.gradient_zeros(grad, [rows]).index_add(0, flat, ones)
        each = each / counts.index_select(0, flat).unsqueeze(1)
    return torch.ops.prim.gradient_zeros(grad, [rows, columns]).index_add(0, flat, each)

aten::nonzero(Tensor self) -> Tensor
    values
    traits dynamic shape
    flat = torch.arange(self.numel()).masked_select((self != 0).flatten())
    columns: List[Tensor] = []
    size = self.numel()
    for n in self.shape:
        size = size // n if n > 0 else 0
        columns.append(torch.floor_divide(flat, max(size, 1)))
        flat = torch.remainder(flat, max(size, 1))
    if len(columns) == 0:
        return flat.new_zeros([flat.shape[0], 0]).to(torch.int64)
    return torch.stack(columns, 1).to(torch.int64)

aten::nonzero_numpy(Tensor self) -> Tensor[]
    return [t.clone() for t in torch.atleast_1d(self).nonzero().unbind(1)]
    traits dynamic shape

aten::where(Tensor condition) -> Tensor[]
    return torch.nonzero_numpy(condition)
    traits dynamic shape

aten::argwhere(Tensor self) -> Tensor
    values
    traits dynamic shape
    return self.nonzero()

aten::take(Tensor self, Tensor index) -> Tensor
    if index.dtype != torch.int64:
        raise RuntimeError("take takes indices of int64")
    position = torch.where(index < 0, index + self.numel(), index)
    return self.flatten().index_select(0, position.flatten()).reshape(index.shape)
    draw self=a[N,M] index=l[K]{0..NM-1} N=1..5 M=1..5

aten::take_along_dim(Tensor self, Tensor indices, int? dim=None) -> Tensor
    if indices.dtype != torch.int64:
        raise RuntimeError("take_along_dim takes indices of int64")
    if dim is None:
        return self.flatten().gather(
            0, torch.where(indices < 0, indices + self.numel(), indices).flatten()
        )
    if self.dim() != indices.dim():
        raise RuntimeError("take_along_dim takes tensors of as many dims")
    at = dim % max(self.dim(), 1)
    length = self.shape[at] if self.dim() > 0 else 1
    wide: List[int] = []
    deep: List[int] = []
    for i in range(self.dim()):
        size = (
            max(self.shape[i], indices.shape[i])
            if self.shape[i] != 0 and indices.shape[i] != 0
            else 0
        )
        wide.append(self.shape[i] if i == at else size)
        deep.append(indices.shape[i] if i == at else size)
    return self.expand(wide).gather(
        at, torch.where(indices < 0, indices + length, indices).expand(deep)
    )
    draw self=a[N,M] indices=l[N,K]{0..M-1} dim=1 N=1..5 M=1..5

aten::put_(Tensor(a!) self, Tensor index, Tensor source, bool accumulate=False) -> Tensor(a!)
    if index.dtype != torch.int64 or source.dtype != self.dtype or index.numel() != source.numel():
        raise RuntimeError("put_ takes indices of int64 and as many elements of the tensor's dtype")
    flat = self.flatten().clone()
    flat.index_put_([index.flatten()], source.flatten(), accumulate)
    return self.copy_(flat.reshape(self.shape))
    draw self=n[N,M] index=l[K]{0..NM-1} source==[K] N=1..5 M=1..5
    slopes places twice

aten::put(Tensor self, Tensor index, Tensor source, bool accumulate=False) -> Tensor
    return self.clone().put_(index, source, accumulate)
    draw self=n[N,M] index=l[K]{0..NM-1} source==[K] N=1..5 M=1..5
    slopes places twice

aten::masked_scatter(Tensor self, Tensor mask, Tensor source) -> Tensor
    if source.dtype != self.dtype:
        raise RuntimeError("masked_scatter takes a source of the tensor's dtype")
    into = torch.where(mask.to(torch.bool), self, self)
    where = mask.to(torch.bool).expand(into.shape)
    count = int(where.sum())
    if source.numel() < count:
        raise RuntimeError("masked_scatter: the source has too few elements")
    if count == 0:
        return into.clone()
    order = (where.flatten().cumsum(0) - 1).clamp_min(0).clamp_max(max(source.numel() - 1, 0))
    return torch.where(where, source.flatten().index_select(0, order).reshape(where.shape), into)
    draw self=a[N] mask=b[N] source==[N]

aten::masked_scatter_(Tensor(a!) self, Tensor mask, Tensor source) -> Tensor(a!)
    return torch.ops.prim.write_to(self, self.masked_scatter(mask, source), "masked_scatter_")
    draw self=a[N] mask=b[N] source==[N]

aten::index_fill.int_Tensor(Tensor self, int dim, Tensor index, Tensor value) -> Tensor
    inplace
    if value.dim() != 0:
        raise RuntimeError("index_fill takes a value of no dims")
    position = torch.where(index < 0, index + (self.shape[dim] if self.dim() > 0 else 1), index)
    return self.index_fill(dim, position, value.item())
    gradient self: grad.index_fill(dim, torch.ops.prim.wrapped_index(index, self.size(), dim), 0)
    gradient value:
        positions = torch.ops.prim.wrapped_index(index, self.size(), dim)
        kept = torch.ones_like(grad).index_fill(dim, positions, 0)
        return grad.masked_fill(kept != 0, 0)
    draw self=n[N,M] dim=0 index=l[K]{0..N-1} value==[] N=1..5
    peers gradient: a place filled twice

aten::scatter.reduce(Tensor self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor
    inplace
    if reduce != "add" and reduce != "multiply":
        raise RuntimeError("scatter: reduce is add or multiply")
    return torch.scatter_reduce(self, dim, index, src, "sum" if reduce == "add" else "prod")
    draw self=n[N,M] dim=0 index=l[K,M]{0..N-1} src==[K,M] reduce=add|multiply N=1..5
    slopes places twice

aten::scatter.value_reduce(Tensor self, int dim, Tensor index, Scalar value, *,
                           str reduce) -> Tensor
    inplace
    return torch.scatter(
        self, dim, index, torch.full(index.shape, value, dtype=self.dtype), reduce=reduce
    )
    draw self=n[N,M] dim=0 index=l[K,M]{0..N-1} value=2 reduce=add|multiply N=1..5
    slopes places twice

aten::embedding_renorm_(Tensor(a!) self, Tensor indices, float max_norm,
                        float norm_type) -> Tensor(a!)
    length = self.norm(norm_type, [1], True)
    looked = (
        torch.zeros([self.shape[0]], dtype=torch.bool)
        .index_fill(0, indices.flatten(), 1)
        .unsqueeze(1)
    )
    return self.copy_(
        torch.where(looked & (length > max_norm), self * (max_norm / (length + 1e-7)), self)
    )
    draw self=w[N,M] indices=l[K]{0..N-1} max_norm=0.5..2.0 N=1..9

aten::scatter_reduce.two(Tensor self, int dim, Tensor index, Tensor src, str reduce, *,
                         bool include_self=True) -> Tensor
    inplace
    if reduce not in ["sum", "prod", "mean", "amax", "amin"]:
        raise RuntimeError("scatter_reduce: reduce is sum, prod, mean, amax or amin")
    if self.dim() != index.dim() or self.dim() != src.dim() or self.dtype != src.dtype:
        raise RuntimeError("scatter_reduce takes tensors of as many dims, and one dtype")
    if index.numel() == 0:
        return self.clone()
    if self.dim() == 0:
        return torch.ops.prim.scatter_reduce(
            self.reshape([1]), 0, index.reshape([1]), src.reshape([1]), reduce, include_self
        ).reshape([])
    return torch.ops.prim.scatter_reduce(self, dim, index, src, reduce, include_self)
    draw self=n[N,M] dim=0 index=l[K,M]{0..N-1} src==[K,M] reduce=sum|prod|mean|amax|amin N=1..5
    peers gradient: ties are shared otherwise

prim::scatter_reduce(Tensor self, int dim, Tensor index, Tensor src, str reduce,
                     bool include_self) -> Tensor
    given = src
    for d in range(self.dim()):
        given = given.narrow(d, 0, index.shape[d])
    counts = torch.zeros(self.shape, dtype=torch.int64).scatter_add(
        dim, index, torch.ones_like(index, dtype=torch.int64)
    )
    fresh = counts > 0 if not include_self else torch.zeros_like(counts, dtype=torch.bool)
    if reduce == "sum" or reduce == "mean":
        total = self.masked_fill(fresh, 0).scatter_add(dim, index, given)
        if reduce == "sum":
            return total
        counts = (counts + 1 if include_self else counts).clamp_min(1)
        return (
            total / counts
            if self.is_floating_point()
            else torch.floor_divide(total, counts).to(self.dtype)
        )
    out = self.clone()
    part = out.transpose(dim, -1)
    fresh_line = fresh.transpose(dim, -1)
    where = index.transpose(dim, -1)
    items = given.transpose(dim, -1)
    for d in range(self.dim() - 1):
        part = part.narrow(d, 0, where.shape[d])
        fresh_line = fresh_line.narrow(d, 0, where.shape[d])
    line = part.clone()
    for k in range(where.shape[-1]):
        position = where.narrow(-1, k, 1)
        item = items.narrow(-1, k, 1)
        prior = line.gather(-1, position)
        if reduce == "prod":
            merged = prior * item
        else:
            merged = torch.maximum(prior, item) if reduce == "amax" else torch.minimum(prior, item)
        merged = torch.where(fresh_line.gather(-1, position), item, merged)
        line = line.scatter(-1, position, merged)
        fresh_line = fresh_line.scatter(-1, position, torch.zeros_like(merged, dtype=torch.bool))
    part.copy_(line)
    return out

aten::embedding_bag.padding_idx(Tensor weight, Tensor indices, Tensor offsets,
                                bool scale_grad_by_freq, int mode, bool sparse,
                                Tensor? per_sample_weights, bool include_last_offset,
                                int? padding_idx) -> (Tensor, Tensor, Tensor, Tensor)
    if indices.dim() != 1 or offsets.dim() != 1 or weight.dim() != 2 or mode < 0 or mode > 2:
        raise RuntimeError(
            "embedding_bag takes a table, a line of indices, a line of offsets, and mode 0, 1 or 2"
        )
    if (indices.dtype != torch.int32 and indices.dtype != torch.int64) or (
        offsets.dtype != torch.int32 and offsets.dtype != torch.int64
    ):
        raise RuntimeError("embedding_bag takes indices and offsets of 32 or 64 bits")
    if per_sample_weights is not None and (mode != 0 or per_sample_weights.shape != indices.shape):
        raise RuntimeError(
            "embedding_bag: weights of samples are as many as the samples, which are summed"
        )
    starts = offsets.narrow(0, 0, offsets.shape[0] - 1) if include_last_offset else offsets
    bags, n = starts.shape[0], indices.shape[0]
    if bags > 0 and (
        int(starts[0]) != 0 or int(starts[-1]) > n or bool((starts[1:] < starts[:-1]).any())
    ):
        raise RuntimeError(
            "embedding_bag: offsets begin with 0, do not decrease and lie within the indices"
        )
    if bags == 0:
        n = 0
    positions = indices[:n].to(torch.int64)
    bag = torch.searchsorted(starts.to(torch.int64), torch.arange(n), right=True) - 1
    skipped = -1 if padding_idx is None else padding_idx % weight.shape[0]
    kept = positions != skipped
    rows = weight.index_select(0, positions)
    counts = torch.zeros([bags], dtype=torch.int64).index_add(0, bag, kept.to(torch.int64))
    kind = torch.result_type(indices, offsets)
    if mode == 2:
        mine = ((bag.unsqueeze(0) == torch.arange(bags).unsqueeze(1)) & kept).unsqueeze(2)
        out, best = weight.new_zeros([bags, weight.shape[1]]), torch.zeros(
            [bags, weight.shape[1]], dtype=torch.int64
        )
        if n > 0 and bags > 0:
            top = rows.unsqueeze(0).masked_fill(~mine, float("-inf")).amax([1], True)
            first = ((rows.unsqueeze(0) == top) & mine).to(torch.int64).argmax(1)
            empty = (counts == 0).unsqueeze(1)
            out, best = top.squeeze(1).masked_fill(empty, 0.0), positions.take(first).masked_fill(
                empty, 0
            )
        return out, bag.to(kind), counts.to(kind), best.to(kind)
    rows = torch.ops.prim.wide(rows)
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.unsqueeze(1)
    sums = rows.new_zeros([bags, weight.shape[1]]).index_add(
        0, bag, rows.masked_fill(~kept.unsqueeze(1), 0.0)
    )
    out = sums.to(weight.dtype)
    if mode == 1:
        return (
            out / counts.clamp_min(1).unsqueeze(1),
            bag.to(kind),
            counts.to(kind),
            counts.to(kind),
        )
    unused = torch.zeros_like(offsets, dtype=kind)
    direct = padding_idx is None and (
        weight.dtype == torch.float32 or weight.dtype == torch.float16
    )
    return out, (bag[:0] if direct else bag).to(kind), unused, unused.clone()
    draw weight=w[N,M] indices=l[5]{0..N-1} offsets=l[2]{0..0} mode=0..1 sparse=False
        per_sample_weights=None include_last_offset=False padding_idx=?0 N=1..9
    peers gradient: scaled by frequency it is no gradient

aten::embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False,
                    int mode=0, bool sparse=False, Tensor? per_sample_weights=None,
                    bool include_last_offset=False) -> (Tensor, Tensor, Tensor, Tensor)
    return torch.embedding_bag(
        weight,
        indices,
        offsets,
        scale_grad_by_freq,
        mode,
        sparse,
        per_sample_weights,
        include_last_offset,
        None,
    )
    draw weight=w[N,M] indices=l[5]{0..N-1} offsets=l[2]{0..0} mode=0..1 sparse=False
        per_sample_weights=None include_last_offset=False N=1..9
    peers gradient: scaled by frequency it is no gradient

aten::index_reduce(Tensor self, int dim, Tensor index, Tensor source, str reduce, *,
                   bool include_self=True) -> Tensor
    inplace
    if reduce != "prod" and reduce != "mean" and reduce != "amax" and reduce != "amin":
        raise RuntimeError("index_reduce: reduce is prod, mean, amax or amin")
    if (
        index.dim() > 1
        or source.dim() != self.dim()
        or index.numel() != (source.shape[dim] if self.dim() > 0 else 1)
    ):
        raise RuntimeError("index_reduce takes one index for each slice of the source")
    if self.dim() == 0:
        return torch.scatter_reduce(
            self, 0, index.reshape([]), source, reduce, include_self=include_self
        )
    shape = [1] * self.dim()
    shape[dim] = index.numel()
    return torch.scatter_reduce(
        self,
        dim,
        index.reshape(shape).expand(source.shape),
        source,
        reduce,
        include_self=include_self,
    )
    draw self=w[N,M] dim=0 index=l[K]{0..N-1} source==[K,M] reduce=prod|mean|amax|amin N=1..5
    peers gradient: ties are shared otherwise

aten::nonzero_static(Tensor self, *, int size, int fill_value=-1) -> Tensor
    since 2
    found = torch.nonzero(self)
    kept = found.narrow(0, 0, min(size, found.shape[0]))
    return torch.cat(
        [kept, torch.full([size - kept.shape[0], self.dim()], fill_value, dtype=torch.int64)], 0
    )

prim::clamped_indices(Tensor self, Tensor?[] indices) -> Tensor?[]
    out: List[Optional[Tensor]] = []
    for i in range(len(indices)):
        at = indices[i]
        if at is None:
            out.append(None)
        elif at.dtype != torch.int64 and at.dtype != torch.int32:
            raise RuntimeError("a masked index takes indices of int64 or int32")
        else:
            size = self.shape[i] if i < self.dim() else 1
            out.append(at.clamp(-size, size - 1))
    if len(indices) == 0 or len(indices) > self.dim():
        raise IndexError(
            f"a masked index of {self.dim()} dims takes 1 to {self.dim()} indices, got "
            f"{len(indices)}"
        )
    return out

aten::_unsafe_masked_index(Tensor self, Tensor mask, Tensor?[] indices, Scalar fill) -> Tensor
    since 2
    clamped = torch.ops.prim.clamped_indices(self, indices)
    if self.numel() > 0:
        return torch.ops.aten.index(self, clamped).masked_fill(mask.logical_not(), fill)
    sizes = self.shape.copy()
    for i in range(len(clamped)):
        if clamped[i] is not None and sizes[i] == 0:
            sizes[i] = 1
    return torch.ops.aten.index(torch.full(sizes, fill, dtype=self.dtype), clamped)

aten::_unsafe_masked_index_put_accumulate(Tensor self, Tensor mask, Tensor?[] indices,
                                          Tensor values) -> Tensor
    since 2
    if self.numel() == 0:
        return self.clone()
    return torch.ops.aten.index_put(
        self,
        torch.ops.prim.clamped_indices(self, indices),
        values.masked_fill(mask.logical_not(), 0),
        True,
    )

aten::index_put_(Tensor(a!) self, Tensor?[] indices, Tensor values,
                 bool accumulate=False) -> Tensor(a!)
    payload
    if accumulate:
        return torch.ops.prim.index_accumulate_(self, indices, values)
    return torch.ops.prim.index_set_(self, indices, values)
    slopes places twice

aten::index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor
    payload
    return self.clone().index_put_(indices, values, accumulate)
    gradient self:
        return (
            grad
            if accumulate
            else torch.ops.aten.index_put(
                grad, indices, torch.ops.prim.gradient_zeros(grad, values.size())
            )
        )
    gradient values: torch.ops.aten.index(grad, indices)
    slopes places twice

aten::scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor
    payload
    return torch.ops.prim.scatter_set_(self.clone(), dim, index, src)
    gradient self: grad.scatter(dim, index, 0)
    gradient src: torch.ops.prim.grow(grad.gather(dim, index), src.size())
    slopes places twice

aten::scatter_.src(Tensor(a!) self, int dim, Tensor index, Tensor src) -> Tensor(a!)
    payload
    return torch.ops.prim.scatter_set_(self, dim, index, src)
    slopes places twice

aten::scatter.value(Tensor self, int dim, Tensor index, Scalar value) -> Tensor
    payload
    values = torch.ops.prim.fill_like(self, value).expand(index.size())
    return torch.ops.prim.scatter_set_(self.clone(), dim, index, values)
    gradient self: grad.scatter(dim, index, 0)
    slopes places twice

aten::scatter_.value(Tensor(a!) self, int dim, Tensor index, Scalar value) -> Tensor(a!)
    payload
    values = torch.ops.prim.fill_like(self, value).expand(index.size())
    return torch.ops.prim.scatter_set_(self, dim, index, values)
    slopes places twice

aten::scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor
    payload
    return torch.ops.prim.scatter_accumulate_(self.clone(), dim, index, src)
    gradient self: grad
    gradient src: torch.ops.prim.grow(grad.gather(dim, index), src.size())

aten::scatter_add_(Tensor(a!) self, int dim, Tensor index, Tensor src) -> Tensor(a!)
    payload
    return torch.ops.prim.scatter_accumulate_(self, dim, index, src)

aten::index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor
    payload
    if source.is_floating_point():
        cast = (source * alpha).to(source.dtype)
    else:
        cast = source * torch.ops.prim.fill_like(source, alpha)
    return torch.ops.prim.slices_accumulate_(self.clone(), dim, index, cast)
    gradient self: grad
    gradient source: torch.atleast_1d(grad).index_select(dim, index).reshape(source.size()) * alpha

aten::index_add_(Tensor(a!) self, int dim, Tensor index, Tensor source, *,
                 Scalar alpha=1) -> Tensor(a!)
    payload
    if source.is_floating_point():
        cast = (source * alpha).to(source.dtype)
    else:
        cast = source * torch.ops.prim.fill_like(source, alpha)
    return torch.ops.prim.slices_accumulate_(self, dim, index, cast)

aten::index_copy(Tensor self, int dim, Tensor index, Tensor source) -> Tensor
    payload
    return torch.ops.prim.slices_set_(self.clone(), dim, index, source)
    gradient self: grad.index_fill(dim, index, 0)
    gradient source: torch.atleast_1d(grad).index_select(dim, index).reshape(source.size())
    slopes places twice

aten::index_copy_(Tensor(a!) self, int dim, Tensor index, Tensor source) -> Tensor(a!)
    payload
    return torch.ops.prim.slices_set_(self, dim, index, source)
    slopes places twice

aten::index_fill.int_Scalar(Tensor self, int dim, Tensor index, Scalar value) -> Tensor
    payload
    sizes = torch.ops.aten.atleast_1d(self).index_select(dim, index).size()
    values = torch.ops.prim.fill_like(self, value).expand(sizes)
    return torch.ops.prim.slices_set_(self.clone(), dim, index, values)
    gradient self: grad.index_fill(dim, index, 0)
    peers gradient: a place filled twice

aten::index_fill_.int_Scalar(Tensor(a!) self, int dim, Tensor index, Scalar value) -> Tensor(a!)
    payload
    sizes = torch.ops.aten.atleast_1d(self).index_select(dim, index).size()
    values = torch.ops.prim.fill_like(self, value).expand(sizes)
    return torch.ops.prim.slices_set_(self, dim, index, values)

# Of operators in C++.
aten::index.Tensor
    gradient self:
        return torch.ops.aten.index_put(
            torch.ops.prim.gradient_zeros(grad, self.size()), indices, grad, True
        )
    traits dynamic shape
prim::index_set_
    gradient self:
        return torch.ops.aten.index_put(
            grad, indices, torch.ops.prim.gradient_zeros(grad, values.size())
        )
    gradient values: torch.ops.aten.index(grad, indices)
prim::index_accumulate_
    gradient self: grad
    gradient values: torch.ops.aten.index(grad, indices)
aten::index_select
    gradient self: torch.ops.prim.gradient_zeros(grad, self.size()).index_add(dim, index, grad)
aten::embedding
    gradient weight:
        return torch.ops.prim.embedding_gradient(
            grad, indices, weight.size(0), weight.size(1), padding_idx, scale_grad_by_freq
        )
aten::gather
    gradient self: torch.ops.prim.gradient_zeros(grad, self.size()).scatter_add(dim, index, grad)
aten::masked_select
    gradient self:
        return torch.ops.prim.gradient_zeros(
            grad, torch.ops.aten._infer_size(self.size(), mask.size())
        ).masked_scatter(mask, grad)
    traits dynamic shape
prim::scatter_set_
    gradient self: grad.scatter(dim, index, 0)
    gradient source: torch.ops.prim.grow(grad.gather(dim, index), source.size())
prim::scatter_accumulate_
    gradient self: grad
    gradient source: torch.ops.prim.grow(grad.gather(dim, index), source.size())
prim::slices_set_
    gradient self: grad.index_fill(dim, index, 0)
    gradient source: grad.index_select(dim, index).reshape(source.size())
prim::slices_accumulate_
    gradient self: grad
    gradient source: grad.index_select(dim, index).reshape(source.size())

# Forms with `out=`: of one result that is never cast, or with names that results do not have.
aten::gather, aten::index_add, aten::index_copy, aten::index_reduce, aten::index_select,
aten::masked_select, aten::nonzero, aten::scatter.reduce, aten::scatter.src, aten::scatter.value,
aten::scatter.value_reduce, aten::scatter_add, aten::take, aten::take_along_dim,
aten::scatter_reduce.two
    out exact
