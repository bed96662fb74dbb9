# Running sums, products and extremes, differences, and areas under lines.
#
# Not a number ranks above all numbers, as sort has it. Where several elements have the same value,
# indices may differ from PyTorch's, which promises none.

prim::from_the_end(Tensor grad, int dim) -> Tensor
    if grad.dim() == 0:
        return grad
    return grad.flip([dim]).cumsum(dim).flip([dim])

prim::logcumsumexp_gradient(Tensor grad, Tensor self, Tensor result, int dim) -> Tensor
    if self.dim() == 0 or self.numel() == 0:
        return grad.clamp_min(0)
    part = torch.where(grad > 0, grad.log(), torch.full_like(grad, -3.4028234663852886e38)) - result
    return torch.exp(part.flip([dim]).logcumsumexp(dim).flip([dim]) + self)

prim::other_factors(Tensor self, Tensor others, Tensor product) -> Tensor
    zero = (self == 0).any()
    return torch.where(zero, others, product / torch.where(zero, torch.ones_like(self), self))

prim::cumprod_gradient(Tensor grad, Tensor self, int dim) -> Tensor
    if self.dim() == 0 or self.numel() == 0:
        return grad
    x = self.transpose(dim, -1)
    n = x.size(-1)
    own = torch.eye(n, dtype=torch.bool)
    later = torch.ones([n, n], dtype=grad.dtype).triu()
    products = x.unsqueeze(-2).masked_fill(own, 1).cumprod(-1) * later
    return (
        torch.matmul(products, grad.transpose(dim, -1).unsqueeze(-1)).squeeze(-1).transpose(dim, -1)
    )

prim::running_extreme(Tensor self, int dim, bool largest) -> (Tensor, Tensor)
    if self.dim() == 0 or self.numel() == 0:
        return self.clone(), torch.zeros_like(self, dtype=torch.int64)
    values: List[Tensor] = [self.select(dim, 0)]
    indices: List[Tensor] = [torch.zeros_like(values[0], dtype=torch.int64)]
    for i in range(1, self.shape[dim]):
        item, best = self.select(dim, i), values[-1]
        newer = (item != item) | ((item >= best) if largest else (item <= best)) & (best == best)
        values.append(torch.where(newer, item, best))
        indices.append(torch.where(newer, torch.full_like(indices[-1], i), indices[-1]))
    return torch.stack(values, dim), torch.stack(indices, dim)

aten::cummax(Tensor self, int dim) -> (Tensor values, Tensor indices)
    return torch.ops.prim.running_extreme(self, dim, True)

aten::cummin(Tensor self, int dim) -> (Tensor values, Tensor indices)
    return torch.ops.prim.running_extreme(self, dim, False)

aten::cumprod_(Tensor(a!) self, int dim, *, ScalarType? dtype=None) -> Tensor(a!)
    if dtype is not None and dtype != self.dtype:
        raise RuntimeError("cumprod_ takes the tensor's own dtype")
    return torch.ops.prim.write_to(self, self.cumprod(dim, dtype=dtype), "cumprod_")

aten::cumprod(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor
    torch.ops.prim.named_dim(self, dim, "cumprod")
    source = self if self.is_floating_point() else self.to(torch.int64)
    if dtype is not None:
        source = self.to(dtype)
    if source.dim() == 0 or source.numel() == 0:
        return source.clone()
    wide = source
    if source.dtype == torch.float32:
        wide = source.to(torch.float64)
    elif source.is_floating_point() and source.dtype != torch.float64:
        wide = source.to(torch.float32)
    parts: List[Tensor] = [wide.select(dim, 0)]
    for i in range(1, source.shape[dim]):
        parts.append(parts[-1] * wide.select(dim, i))
    return torch.stack(parts, dim).to(source.dtype)
    gradient self: torch.ops.prim.cumprod_gradient(grad, self, dim)
    others products stored
    traits products

aten::cumsum_(Tensor(a!) self, int dim, *, ScalarType? dtype=None) -> Tensor(a!)
    if dtype is not None and dtype != self.dtype:
        raise RuntimeError("cumsum_ takes the tensor's own dtype")
    return torch.ops.prim.write_to(self, self.cumsum(dim, dtype=dtype), "cumsum_")

aten::logcumsumexp(Tensor self, int dim) -> Tensor
    if not self.is_floating_point():
        raise RuntimeError("logcumsumexp takes a tensor of floats")
    torch.ops.prim.named_dim(self, dim, "logcumsumexp")
    if self.dim() == 0 or self.numel() == 0:
        return self.clone()
    wide = self.to(torch.float64)
    parts: List[Tensor] = [wide.select(dim, 0)]
    for i in range(1, self.shape[dim]):
        parts.append(torch.logaddexp(parts[-1], wide.select(dim, i)))
    return torch.stack(parts, dim).to(self.dtype)
    gradient self:
        return torch.ops.prim.logcumsumexp_gradient(
            grad, self, result, dim
        ) - torch.ops.prim.logcumsumexp_gradient(-grad, self, result, dim)

prim::check_diff(Tensor self, Tensor? other, int dim) -> Tensor
    if other is not None:
        if other.dim() != self.dim():
            raise RuntimeError("diff prepends and appends tensors of as many dims")
        for i in range(self.dim()):
            if i != dim % self.dim() and other.shape[i] != self.shape[i]:
                raise RuntimeError(
                    "diff prepends and appends tensors of the same sizes, but along the dim"
                )
    return self

aten::diff(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None) -> Tensor
    if self.dim() < 1:
        raise RuntimeError("diff takes a tensor of one or more dims")
    torch.ops.prim.check_diff(torch.ops.prim.check_diff(self, prepend, dim), append, dim)
    out = self.clone()
    if n > 0 and prepend is not None:
        out = torch.cat([prepend, out], dim)
    if n > 0 and append is not None:
        out = torch.cat([out, append], dim)
    for _ in range(min(n, out.shape[dim])):
        size = out.shape[dim]
        after, before = out.narrow(dim, 1, size - 1), out.narrow(dim, 0, size - 1)
        out = torch.logical_xor(after, before) if out.dtype == torch.bool else after - before
    return out

prim::empty_sums(Tensor y, int dim) -> Tensor
    return y.new_zeros([y.shape[i] for i in range(y.dim()) if i != dim % y.dim()])

aten::trapezoid.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor
    size = y.shape[dim]
    if size == 0:
        return torch.ops.prim.empty_sums(y, dim)
    torch.ops.prim.no_bools(x, "trapezoid")
    torch.ops.prim.no_bools(y, "trapezoid")
    wide = (x.diff(1, 0) if x.dim() == 1 else x.diff(1, dim))
    if x.dim() == 1 and y.dim() > 1:
        shape = [1] * y.dim()
        shape[dim] = size - 1
        wide = wide.reshape(shape)
    return ((y.narrow(dim, 0, size - 1) + y.narrow(dim, 1, size - 1)) * wide).sum([dim]) / 2.0
    draw y=n[N,M] x=n[M] dim=-1

aten::trapezoid.dx(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor
    size = y.shape[dim]
    if size == 0:
        return torch.ops.prim.empty_sums(y, dim)
    torch.ops.prim.no_bools(y, "trapezoid")
    return (y.sum([dim]) - (y.select(dim, 0) + y.select(dim, -1)) * 0.5) * float(dx)

aten::trapz.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor
    return torch.trapezoid(y, x, dim=dim)
    draw y=n[N,M] x=n[M] dim=-1

aten::trapz.dx(Tensor y, *, float dx=1., int dim=-1) -> Tensor
    return torch.trapezoid(y, dx=dx, dim=dim)

aten::cumulative_trapezoid.dx(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor
    torch.ops.prim.no_bools(y, "cumulative_trapezoid")
    size = y.shape[dim]
    return ((y.narrow(dim, 1, size - 1) + y.narrow(dim, 0, size - 1)) * (float(dx) / 2.0)).cumsum(
        dim
    )

aten::cumulative_trapezoid.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor
    torch.ops.prim.no_bools(x, "cumulative_trapezoid")
    torch.ops.prim.no_bools(y, "cumulative_trapezoid")
    wide = x.diff(1, 0) if x.dim() == 1 else x.diff(1, dim)
    if x.dim() == 1 and y.dim() > 1:
        shape = [1] * y.dim()
        shape[dim] = y.shape[dim] - 1
        wide = wide.reshape(shape)
    size = y.shape[dim]
    return ((y.narrow(dim, 1, size - 1) + y.narrow(dim, 0, size - 1)) * wide).cumsum(dim) / 2.0
    draw y=n[N,M] x=n[M] dim=-1

prim::gradient_dims(Tensor self, int[] dims, int edge_order) -> int[]
    if self.dtype == torch.uint8:
        raise RuntimeError("gradient takes no uint8")
    if edge_order < 1 or edge_order > 2:
        raise RuntimeError("gradient takes an edge_order of 1 or 2")
    out = [torch.ops.prim.named_dim(self, d, "gradient") for d in dims]
    for i in range(len(out)):
        if out[i] in out[:i] or self.shape[out[i]] <= edge_order:
            raise RuntimeError(
                "gradient takes each dim once, with one element more along it than edge_order"
            )
    return out

prim::gradient_along(Tensor self, Scalar spacing, int dim, int edge_order) -> Tensor
    n = self.shape[dim]
    first, second = self.narrow(dim, 0, 1), self.narrow(dim, 1, 1)
    last, before = self.narrow(dim, n - 1, 1), self.narrow(dim, n - 2, 1)
    inner = (self.narrow(dim, 2, n - 2) - self.narrow(dim, 0, n - 2)) / (2.0 * float(spacing))
    if edge_order == 1:
        return torch.cat(
            [(second - first) / float(spacing), inner, (last - before) / float(spacing)], dim
        )
    head = (first * -1.5 + second * 2.0 - self.narrow(dim, 2, 1) * 0.5) / float(spacing)
    tail = (last * 1.5 - before * 2.0 + self.narrow(dim, n - 3, 1) * 0.5) / float(spacing)
    return torch.cat([head, inner, tail], dim)

prim::gradient_between(Tensor self, Tensor at, int dim, int edge_order) -> Tensor
    n = self.shape[dim]
    if at.dim() != 1 or at.shape[0] != n:
        raise RuntimeError("gradient takes a coordinate for each element along the dim")
    if at.dtype == torch.bool:
        raise RuntimeError("gradient takes indices that are numbers")
    x = self.transpose(dim, -1)
    coordinates = at if at.is_floating_point() else at.to(torch.int64)
    steps = coordinates.narrow(0, 1, n - 1) - coordinates.narrow(0, 0, n - 1)
    d, e = steps.narrow(0, 0, n - 2), steps.narrow(0, 1, n - 2)
    first, middle, last = x.narrow(-1, 0, n - 2), x.narrow(-1, 1, n - 2), x.narrow(-1, 2, n - 2)
    inner = first * (-e / (d * (d + e))) + middle * ((e - d) / (d * e)) + last * (d / (e * (d + e)))
    if edge_order == 1:
        ends = (x.narrow(-1, 1, n - 1) - x.narrow(-1, 0, n - 1)) / steps
        return torch.cat([ends.narrow(-1, 0, 1), inner, ends.narrow(-1, n - 2, 1)], -1).transpose(
            dim, -1
        )
    heads = (
        first * (-(2 * d + e) / (d * (d + e)))
        + middle * ((d + e) / (d * e))
        + last * (-d / (e * (d + e)))
    )
    tails = (
        first * (e / (d * (d + e)))
        + middle * (-(d + e) / (d * e))
        + last * ((2 * e + d) / (e * (d + e)))
    )
    return torch.cat([heads.narrow(-1, 0, 1), inner, tails.narrow(-1, n - 3, 1)], -1).transpose(
        dim, -1
    )

aten::gradient.tensorarrayint(Tensor self, *, Tensor[] spacing, int? dim=None,
                              int edge_order=1) -> Tensor[]
    dims = [i for i in range(self.dim())] if dim is None else [dim]
    return torch.gradient(self, spacing=spacing, dim=dims, edge_order=edge_order)

aten::gradient.tensorarray(Tensor self, *, Tensor[] spacing, int[] dim,
                           int edge_order=1) -> Tensor[]
    if len(spacing) != len(dim):
        raise RuntimeError("gradient takes indices for each dim")
    dims = torch.ops.prim.gradient_dims(self, dim, edge_order)
    return [
        torch.ops.prim.gradient_between(self, spacing[i], dims[i], edge_order)
        for i in range(len(dims))
    ]
    draw self=w[A,B] spacing=(=[A]{1..9}) dim=<0> edge_order=1 A=3..5 B=3..5

aten::gradient.scalarint(Tensor self, *, Scalar? spacing=None, int? dim=None,
                         int edge_order=1) -> Tensor[]
    step = 1.0 if spacing is None else float(spacing)
    dims = [i for i in range(self.dim())] if dim is None else [dim]
    return torch.gradient(self, spacing=step, dim=dims, edge_order=edge_order)
    draw self=w[A,B] spacing=?2|0.5 dim=?0|1 edge_order=1 A=3..5 B=3..5

aten::gradient.scalararray(Tensor self, *, Scalar spacing, int[] dim, int edge_order=1) -> Tensor[]
    dims = torch.ops.prim.gradient_dims(self, dim, edge_order)
    return [torch.ops.prim.gradient_along(self, spacing, d, edge_order) for d in dims]
    draw self=w[A,B] spacing=2|0.5 dim=<0>|<1>|<0,1> edge_order=1 A=3..5 B=3..5

aten::gradient.array(Tensor self, *, int[] dim, int edge_order=1) -> Tensor[]
    return torch.gradient(self, spacing=1.0, dim=dim, edge_order=edge_order)
    draw self=w[A,B] dim=<0>|<1>|<0,1> edge_order=1..2 A=3..5 B=3..5

# Of operators in C++.
aten::cummax, aten::cummin
    gradient self:
        return (
            torch.ops.prim.gradient_zeros(grad0, self.size()).scatter_add(dim, result1, grad0)
            if self.dim() > 0
            else grad0
        )

# Forms with `out=`: of one result that is never cast, or with names that results do not have.
aten::diff, aten::logcumsumexp
    out exact
