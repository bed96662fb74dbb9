# Indices in sorted lines, ranks, quantiles and sets.
#
# Not a number ranks above all numbers. Where several elements are equal, indices may differ
# from PyTorch's, which promises none.

prim::picked_gradient(Tensor grad, Tensor indices, int[] size, int dim, bool keepdim) -> Tensor
    if len(size) == 0:
        return grad
    whole = torch.ops.prim.gradient_zeros(grad, size)
    if keepdim:
        return whole.scatter(dim, indices, grad)
    return whole.scatter(dim, indices.unsqueeze(dim), grad.unsqueeze(dim))

aten::searchsorted.Tensor(Tensor sorted_sequence, Tensor self, *, bool out_int32=False,
                          bool right=False, str? side=None, Tensor? sorter=None) -> Tensor
    after = right
    if side is not None:
        if side != "left" and side != "right" or side == "left" and right:
            raise RuntimeError("searchsorted: side is left or right, and agrees with 'right'")
        after = side == "right"
    line = sorted_sequence
    if line.dim() == 0:
        raise RuntimeError("searchsorted takes a sequence of one or more dims")
    if line.dim() > 1 and line.shape[:-1] != self.shape[:-1]:
        raise RuntimeError("searchsorted: sequences and values agree in all dims but the last")
    if sorter is not None:
        line = line.gather(-1, sorter)
    value = self.contiguous() if line.dim() > 1 else self.reshape([-1])
    n = line.shape[-1]
    first = torch.zeros(value.shape, dtype=torch.int64)
    last = torch.full(value.shape, n, dtype=torch.int64)
    left = n
    while left > 0:
        middle = (first + last) // 2
        here = line.gather(-1, middle.clamp_max(n - 1))
        stop = here > value if after else here >= value
        left = left // 2
        active = first < last
        first, last = torch.where(active & ~stop, middle + 1, first), torch.where(
            active & stop, middle, last
        )
    out = first.reshape(self.shape)
    return out.to(torch.int32) if out_int32 else out
    draw sorted_sequence=n[N] self=n[M] side=None sorter=None
    others unordered

aten::searchsorted.Scalar(Tensor sorted_sequence, Scalar self, *, bool out_int32=False,
                          bool right=False, str? side=None, Tensor? sorter=None) -> Tensor
    if sorted_sequence.dim() != 1:
        raise RuntimeError("searchsorted of a number takes one sequence")
    kind = torch.mul(sorted_sequence[:0], self).dtype
    value = torch.full([], self, dtype=kind)
    return torch.searchsorted(
        sorted_sequence.to(kind), value, out_int32=out_int32, right=right, side=side, sorter=sorter
    )
    draw sorted_sequence=n[N] side=None sorter=None

aten::bucketize.Tensor(Tensor self, Tensor boundaries, *, bool out_int32=False,
                       bool right=False) -> Tensor
    if boundaries.dim() != 1:
        raise RuntimeError("bucketize takes a vector of boundaries")
    return torch.searchsorted(boundaries, self, out_int32=out_int32, right=right)
    draw boundaries=n[N]

aten::bucketize.Scalar(Scalar self, Tensor boundaries, *, bool out_int32=False,
                       bool right=False) -> Tensor
    return torch.searchsorted(boundaries, self, out_int32=out_int32, right=right)
    draw boundaries=n[N]

prim::no_bools(Tensor self, str op) -> Tensor
    if self.dtype == torch.bool:
        raise RuntimeError(op + " takes tensors of numbers, not of bools")
    return self

aten::isin.Tensor_Tensor(Tensor elements, Tensor test_elements, *, bool assume_unique=False,
                         bool invert=False) -> Tensor
    torch.ops.prim.no_bools(elements, "isin")
    torch.ops.prim.no_bools(test_elements, "isin")
    found = (elements.unsqueeze(-1) == test_elements.flatten()).any(-1)
    return ~found if invert else found

aten::isin.Tensor_Scalar(Tensor elements, Scalar test_element, *, bool assume_unique=False,
                         bool invert=False) -> Tensor
    torch.ops.prim.no_bools(elements, "isin")
    return elements != test_element if invert else elements == test_element

aten::isin.Scalar_Tensor(Scalar element, Tensor test_elements, *, bool assume_unique=False,
                         bool invert=False) -> Tensor
    torch.ops.prim.no_bools(test_elements, "isin")
    found = (test_elements.flatten() == element).any()
    return ~found if invert else found

prim::run_lengths(Tensor starts) -> (Tensor, Tensor, Tensor)
    firsts = torch.arange(starts.shape[0]).masked_select(starts)
    ends = torch.cat(
        [firsts[1:], torch.full([min(starts.shape[0], 1)], starts.shape[0], dtype=torch.int64)]
    )
    return firsts, starts.to(torch.int64).cumsum(0) - 1, (ends - firsts).to(torch.int64)

prim::lines_of_some(Tensor self, int dim) -> Tensor
    if self.dim() == 0:
        raise IndexError("unique along a dim takes a tensor of one or more dims")
    for i in range(self.dim()):
        if self.shape[i] == 0 and i != dim % self.dim():
            raise RuntimeError("unique along a dim takes no tensor that is empty along another")
    return self

aten::unique_consecutive(Tensor self, bool return_inverse=False, bool return_counts=False,
                         int? dim=None) -> (Tensor, Tensor, Tensor)
    values
    traits dynamic shape
    none = torch.empty([0], dtype=torch.int64)
    if dim is None or dim == 0 and self.dim() == 1:
        flat = self.flatten()
        new = torch.ones([flat.shape[0]], dtype=torch.bool)
        if flat.shape[0] > 1:
            new = torch.cat([new[:1], flat[1:] != flat[:-1]])
        firsts, inverse, counts = torch.ops.prim.run_lengths(new)
        whole = inverse.reshape(self.shape)
        return (
            flat.index_select(0, firsts),
            whole if return_inverse else none,
            counts if return_counts else none,
        )
    torch.ops.prim.lines_of_some(self, dim)
    lines = self.transpose(0, dim).flatten(1) if self.dim() > 1 else self.reshape([-1, 1])
    new = torch.ones([lines.shape[0]], dtype=torch.bool)
    if lines.shape[0] > 1:
        new = torch.cat([new[:1], (lines[1:] != lines[:-1]).any(1)])
    firsts, inverse, counts = torch.ops.prim.run_lengths(new)
    return self.index_select(dim, firsts), inverse, counts

aten::_unique2(Tensor self, bool sorted=True, bool return_inverse=False,
               bool return_counts=False) -> (Tensor, Tensor, Tensor)
    values
    traits dynamic shape
    none = torch.empty([0], dtype=torch.int64)
    ordered, order = self.flatten().sort(stable=True, dim=0, descending=False)
    values, groups, counts = torch.unique_consecutive(ordered, True, True)
    inverse = torch.zeros_like(groups).scatter(0, order, groups).reshape(self.shape)
    return (
        values,
        inverse if return_inverse or return_counts else none,
        counts if return_counts else none,
    )

aten::unique_dim(Tensor self, int dim, bool sorted=True, bool return_inverse=False,
                 bool return_counts=False) -> (Tensor, Tensor, Tensor)
    values
    traits dynamic shape
    torch.ops.prim.lines_of_some(self, dim)
    lines = self.transpose(0, dim).flatten(1) if self.dim() > 1 else self.reshape([-1, 1])
    order = torch.arange(lines.shape[0])
    for i in range(lines.shape[1]):
        column = lines.select(1, lines.shape[1] - 1 - i).index_select(0, order)
        order = order.index_select(0, column.sort(stable=True, dim=0, descending=False)[1])
    values, groups, counts = torch.unique_consecutive(
        self.index_select(dim, order), True, True, dim
    )
    inverse = torch.zeros_like(groups).scatter(0, order, groups)
    return values, inverse, counts

aten::argsort.stable(Tensor self, *, bool stable, int dim=-1, bool descending=False) -> Tensor
    return self.sort(stable=stable, dim=dim, descending=descending)[1]

aten::median.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)
    size = self.shape[dim] if self.dim() > 0 else 1
    if size == 0:
        raise IndexError("median along a dim of no items")
    values, indices = self.sort(dim)
    if self.dim() == 0:
        return values, indices
    middle = torch.full_like(indices.narrow(dim, 0, 1), (size - 1) // 2)
    if self.is_floating_point():
        odd = values != values
        middle = torch.where(odd.any(dim, True), odd.to(torch.uint8).argmax(dim, True), middle)
    values, indices = values.gather(dim, middle), indices.gather(dim, middle)
    return (values, indices) if keepdim else (values.squeeze(dim), indices.squeeze(dim))

aten::median(Tensor self) -> Tensor
    if self.numel() == 0:
        return torch.full([], float("nan")).to(self.dtype)
    return self.flatten().median(0)[0]

aten::nanmedian.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)
    size = self.shape[dim] if self.dim() > 0 else 1
    if size == 0:
        raise IndexError("nanmedian along a dim of no items")
    values, indices = self.sort(dim)
    if self.dim() == 0:
        return values, indices
    numbers = (values == values).sum([dim], True)
    middle = torch.floor_divide((numbers - 1).clamp_min(0), 2)
    values, indices = values.gather(dim, middle), indices.gather(dim, middle)
    return (values, indices) if keepdim else (values.squeeze(dim), indices.squeeze(dim))

aten::nanmedian(Tensor self) -> Tensor
    if self.numel() == 0:
        return torch.full([], float("nan")).to(self.dtype)
    return self.flatten().nanmedian(0)[0]

aten::mode(Tensor self, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)
    torch.ops.prim.named_dim(self, dim, "mode")
    if self.dim() == 0:
        return self.clone(), torch.zeros_like(self, dtype=torch.int64)
    if self.shape[dim] == 0:
        raise IndexError("mode along a dim of no items")
    values, indices = self.sort(stable=True, dim=dim, descending=False)
    line = values.transpose(dim, -1)
    counts = (line.unsqueeze(-1) == line.unsqueeze(-2)).sum([-1])
    top = counts.argmax(-1, True)
    last = top + (counts.gather(-1, top) - 1).clamp_min(0)
    value, index = line.gather(-1, last), indices.transpose(dim, -1).gather(-1, last)
    value, index = value.transpose(dim, -1), index.transpose(dim, -1)
    shape: List[int] = value.shape if keepdim else value.squeeze(dim).shape
    return value.reshape([-1]).reshape(shape), index.reshape([-1]).reshape(shape)
    peers gradient: which of equal ones is returned
    others any of equals

prim::interpolate_quantile(Tensor self, Tensor q, int? dim, bool keepdim, str interpolation,
                           bool skip) -> Tensor
    if not self.is_floating_point() or self.dtype != q.dtype:
        raise RuntimeError("quantile takes tensors of one dtype of floats")
    if self.dtype != torch.float32 and self.dtype != torch.float64:
        raise RuntimeError("quantile takes tensors of float or double")
    if self.numel() == 0 or q.dim() > 1:
        raise RuntimeError("quantile takes a tensor of some elements and a vector of quantiles")
    if bool(((q < 0) | (q > 1)).any()):
        raise RuntimeError("quantile: q lies between 0 and 1")
    if interpolation not in ["linear", "lower", "higher", "nearest", "midpoint"]:
        raise RuntimeError("quantile: interpolation is linear, lower, higher, midpoint or nearest")
    source = self.flatten() if dim is None else (self.reshape([1]) if self.dim() == 0 else self)
    at = 0 if dim is None else dim
    ordered = source.sort(at)[0].transpose(at, -1)
    odd = ordered != ordered
    last = (
        ((~odd).sum([-1], True) - 1).clamp_min(0)
        if skip
        else torch.full_like(odd.sum([-1], True), ordered.shape[-1] - 1)
    )
    ranks = q.flatten() * last
    if not skip:
        ranks = torch.where(odd.any(-1, True), last.to(q.dtype), ranks)
    if interpolation == "lower":
        ranks = ranks.floor()
    if interpolation == "higher":
        ranks = ranks.ceil()
    if interpolation == "nearest":
        ranks = ranks.round()
    low = ordered.gather(-1, ranks.to(torch.int64))
    if interpolation == "linear" or interpolation == "midpoint":
        share = (
            torch.full_like(ranks, 0.5) if interpolation == "midpoint" else ranks - ranks.floor()
        )
        low = torch.lerp(low, ordered.gather(-1, ranks.ceil().to(torch.int64)), share)
    out = low.movedim(-1, 0) if q.dim() > 0 else low.squeeze(-1)
    if dim is None:
        return out.reshape(q.shape + [1] * self.dim()) if keepdim else out
    if self.dim() == 0:
        return out
    lead = q.dim()
    if q.dim() > 0:
        out = out.unsqueeze(-1).transpose(at if at < 0 else at + lead, -1)
    else:
        out = out.unsqueeze(-1).transpose(at, -1)
    return out.contiguous() if keepdim else out.squeeze(at if at < 0 else at + lead).contiguous()

aten::quantile(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *,
               str interpolation="linear") -> Tensor
    return torch.ops.prim.interpolate_quantile(self, q, dim, keepdim, interpolation, False)
    draw self=w[*,N] q==[3]{0..1} N=1..9
    peers gradient: which of equal ones is returned

aten::quantile.scalar(Tensor self, float q, int? dim=None, bool keepdim=False, *,
                      str interpolation="linear") -> Tensor
    return torch.ops.prim.interpolate_quantile(
        self, torch.full([], q, dtype=self.dtype), dim, keepdim, interpolation, False
    )
    draw self=w[*,N] q=0.0..1.0 N=1..9
    peers gradient: which of equal ones is returned

aten::nanquantile(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *,
                  str interpolation="linear") -> Tensor
    return torch.ops.prim.interpolate_quantile(self, q, dim, keepdim, interpolation, True)
    draw self=w[*,N] q==[3]{0..1} N=1..9
    peers gradient: which of equal ones is returned

aten::nanquantile.scalar(Tensor self, float q, int? dim=None, bool keepdim=False, *,
                         str interpolation="linear") -> Tensor
    return torch.ops.prim.interpolate_quantile(
        self, torch.full([], q, dtype=self.dtype), dim, keepdim, interpolation, True
    )
    draw self=w[*,N] q=0.0..1.0 N=1..9
    peers gradient: which of equal ones is returned

aten::msort(Tensor self) -> Tensor
    return self.sort(0)[0]
    peers gradient: which of equal ones an unstable order puts first

# Of operators in C++.
aten::max.dim, aten::min.dim, aten::kthvalue, aten::median.dim, aten::nanmedian.dim, aten::mode
    gradient self: torch.ops.prim.picked_gradient(grad0, result1, self.size(), dim, keepdim)
aten::sort, aten::sort.stable, aten::topk
    gradient self: torch.ops.prim.picked_gradient(grad0, result1, self.size(), dim, True)
aten::cumsum
    gradient self: torch.ops.prim.from_the_end(grad, dim)
    traits sums
aten::kthvalue
    draw self=n[*,N] k=1..N N=1..9 dim=-1

aten::sort, aten::sort.stable
    peers gradient: which of equal ones an unstable order puts first

aten::topk
    peers gradient: which of equal ones is the first

aten::argmax, aten::max.dim
    traits greatest

aten::argmin, aten::min.dim
    traits least

aten::one_hot
    traits dynamic shape

# Forms with `out=`: of one result that is never cast, or with names that results do not have.
aten::argmax, aten::argmin, aten::bucketize.Scalar, aten::bucketize.Tensor,
aten::isin.Scalar_Tensor, aten::isin.Tensor_Scalar, aten::isin.Tensor_Tensor, aten::msort,
aten::nanquantile, aten::nanquantile.scalar, aten::quantile, aten::quantile.scalar,
aten::searchsorted.Scalar, aten::searchsorted.Tensor
    out exact
aten::max.dim
    out max, max_values
aten::min.dim
    out min, min_indices
