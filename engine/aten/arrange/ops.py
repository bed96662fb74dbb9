# Elements put elsewhere: tiled, repeated, flipped, rotated, laid on diagonals, padded.

aten::tile(Tensor self, int[] dims) -> Tensor
    return self.repeat([1] * max(self.dim() - len(dims), 0) + dims)

aten::repeat_interleave.self_int(Tensor self, int repeats, int? dim=None, *,
                                 int? output_size=None) -> Tensor
    source = self.flatten() if dim is None else self
    at = 0 if dim is None else dim
    if repeats < 0:
        raise RuntimeError("repeat_interleave: repeats is at least 0")
    index = torch.arange(source.shape[at]).unsqueeze(1).expand([-1, repeats]).reshape([-1])
    return source.index_select(at, index)
    draw repeats=0..3 output_size=None

aten::repeat_interleave.Tensor(Tensor repeats, *, int? output_size=None) -> Tensor
    values
    traits dynamic shape
    if repeats.dim() != 1 or (repeats.dtype != torch.int64 and repeats.dtype != torch.int32):
        raise RuntimeError("repeat_interleave takes a vector of int32 or int64")
    if bool((repeats < 0).any()):
        raise RuntimeError("repeat_interleave: repeats are at least 0")
    most = int(repeats.max()) if repeats.numel() > 0 else 0
    indices = torch.arange(repeats.shape[0]).unsqueeze(1).expand([-1, most])
    return indices.masked_select(torch.arange(most) < repeats.unsqueeze(1)).to(repeats.dtype)
    draw repeats=l[N]{0..3} output_size=None

aten::repeat_interleave.self_Tensor(Tensor self, Tensor repeats, int? dim=None, *,
                                    int? output_size=None) -> Tensor
    values
    traits dynamic shape
    source = self.flatten() if dim is None else self
    at = 0 if dim is None else dim
    each = (
        repeats.reshape([1]).expand([source.shape[at]])
        if repeats.numel() == 1 and repeats.dim() < 2
        else repeats
    )
    if each.dim() != 1 or each.shape[0] != source.shape[at]:
        raise RuntimeError("repeat_interleave: as many repeats as there are items along the dim")
    return source.index_select(at, torch.repeat_interleave(each))
    draw self=a[N,M] repeats=l[N]{0..3} dim=0 output_size=None

aten::fliplr(Tensor self) -> Tensor
    if self.dim() < 2:
        raise RuntimeError("fliplr takes a tensor of two or more dims")
    return self.flip([1])

aten::flipud(Tensor self) -> Tensor
    if self.dim() < 1:
        raise RuntimeError("flipud takes a tensor of one or more dims")
    return self.flip([0])

aten::rot90(Tensor self, int k=1, int[] dims=[0, 1]) -> Tensor
    rank = self.dim()
    if len(dims) != 2 or rank < 2:
        raise RuntimeError("rot90 takes two dims of a tensor of two or more")
    a, b = dims[0], dims[1]
    if a < -rank or a >= rank or b < -rank or b >= rank or a % rank == b % rank:
        raise RuntimeError("rot90 takes two different dims of the tensor")
    quarters = k % 4
    if quarters == 1:
        return self.flip([b]).transpose(a, b)
    if quarters == 2:
        return self.flip(dims)
    if quarters == 3:
        return self.flip([a]).transpose(a, b)
    return self.clone()
    draw self=a[N,M] k=-2..5 dims=<0,1>|<1,0>

aten::diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor
    rank = self.dim() + 1
    if dim1 < -rank or dim1 >= rank or dim2 < -rank or dim2 >= rank or dim1 % rank == dim2 % rank:
        raise RuntimeError("diag_embed takes two different dims of the result")
    size = self.shape[-1] + abs(offset)
    lead: List[int] = self.shape[:-1]
    square = self.new_zeros(lead + [size, size]).movedim([-2, -1], [dim1, dim2]).contiguous()
    square.diagonal(offset, dim1, dim2).copy_(self)
    return square

aten::diag(Tensor self, int diagonal=0) -> Tensor
    if self.dim() != 1 and self.dim() != 2:
        raise RuntimeError("diag takes a vector or a matrix")
    if self.dim() == 1:
        return torch.diag_embed(self, diagonal)
    line = self.diagonal(diagonal)
    if line.shape[0] == 0:
        raise RuntimeError("diag: the matrix has no such diagonal")
    return line.clone()

aten::diagflat(Tensor self, int offset=0) -> Tensor
    return torch.diag_embed(self.reshape([-1]), offset)

aten::fill_diagonal_(Tensor(a!) self, Scalar fill_value, bool wrap=False) -> Tensor(a!)
    if self.dim() < 2:
        raise RuntimeError("fill_diagonal_ takes a tensor of two or more dims")
    for n in self.shape:
        if self.dim() > 2 and n != self.shape[0]:
            raise RuntimeError("fill_diagonal_: all dims of more than two are of one size")
    line = self.diagonal()
    for i in range(2, self.dim()):
        line = line.diagonal(0, 0, -1)
    line.fill_(fill_value)
    if wrap and self.dim() == 2:
        rows, columns = self.shape[0], self.shape[1]
        for top in range(columns + 1, rows, columns + 1):
            self.narrow(0, top, rows - top).diagonal().fill_(fill_value)
    return self
    draw self=n[N,M] N=2..5 M=2..5

aten::tril_(Tensor(a!) self, int diagonal=0) -> Tensor(a!)
    return self.copy_(self.tril(diagonal))

aten::triu_(Tensor(a!) self, int diagonal=0) -> Tensor(a!)
    return self.copy_(self.triu(diagonal))

aten::pad(Tensor self, int[] pad, str mode="constant", float? value=None) -> Tensor
    payload
    number = torch.ops.prim.pad_value(value, mode)
    if mode == "constant":
        return torch.ops.aten.constant_pad_nd(self, pad, number)
    return torch.ops.prim.padded_by_repeating(self, pad, mode)

aten::constant_pad_nd(Tensor self, int[] pad, Scalar value=0) -> Tensor
    payload
    return torch.ops.prim.pad(self, pad, torch.ops.prim.fill_like(self, value), True)
    gradient self: torch.ops.aten.constant_pad_nd(grad, [-n for n in pad])

aten::triu(Tensor self, int diagonal=0) -> Tensor
    payload
    return torch.ops.prim.triangle(self, torch.ops.prim.fill_like(self, 0), diagonal, True)
    gradient self: grad.triu(diagonal)

aten::tril(Tensor self, int diagonal=0) -> Tensor
    payload
    return torch.ops.prim.triangle(self, torch.ops.prim.fill_like(self, 0), diagonal, False)
    gradient self: grad.tril(diagonal)

aten::zero_(Tensor(a!) self) -> Tensor(a!)
    payload
    return self.copy_(torch.ops.prim.fill_like(self, 0))

aten::fill_.Scalar(Tensor(a!) self, Scalar value) -> Tensor(a!)
    payload
    return self.copy_(torch.ops.prim.fill_like(self, value))

aten::fill_.Tensor(Tensor(a!) self, Tensor value) -> Tensor(a!)
    payload
    return self.copy_(torch.ops.prim.one_value(value))
    gradient self: torch.zeros_like(grad)
    gradient value: grad

# Of operators in C++.
prim::one_value
    gradient value: grad
prim::triangle
    gradient self: grad.triu(diagonal) if upper else grad.tril(diagonal)
aten::fill_.Scalar, aten::zero_
    gradient self: torch.zeros_like(grad)
aten::repeat
    gradient self: torch.ops.prim.sum_repeats(grad, self.size(), repeats)
aten::flip
    gradient self: grad.flip(dims)
aten::roll
    gradient self: grad.roll([-n for n in shifts], dims)
prim::pad
    gradient self: torch.ops.aten.constant_pad_nd(grad, [-n for n in pad])
prim::padded_by_repeating
    gradient self:
        return torch.ops.prim.gradient_by_indices(
            grad,
            torch.ops.prim.padded_by_repeating(
                torch.ops.prim.element_indices(self.size()), pad, mode
            ),
            self.size(),
        )

# Forms with `out=`: of one result that is never cast, or with names that results do not have.
aten::diag, aten::tril, aten::triu
    out exact
