# Complex tensors as pairs of real numbers, whose last dim holds the real and the imaginary parts.
# Programs name the operators of PyTorch; ir/complex_parts replaces them by these where an
# operand is complex, so that no engine knows of complex numbers.
#
# prim::complex_NAME takes the arguments of aten::NAME. Operands that are real become pairs
# before, but for those whose name begins with "real_". Dims count those of the complex tensor; the
# dims of a pair are the same, with one behind them.

prim::complex_of(Tensor self) -> Tensor
    x = (
        self
        if self.is_floating_point() and self.dtype != torch.bfloat16
        else self.to(torch.float32)
    )
    return torch.stack([x, torch.zeros_like(x)], -1)

prim::pair(Tensor real, Tensor imag) -> Tensor
    return torch.stack([real, imag], -1)

prim::re(Tensor(a) self) -> Tensor(a)
    return self.select(-1, 0)

prim::im(Tensor(a) self) -> Tensor(a)
    return self.select(-1, 1)

prim::pair_dim(Tensor self, int dim) -> int
    rank = self.dim() - 1
    if dim >= rank or dim < -rank:
        raise IndexError(f"dims lie from {-rank} to {rank - 1}, got {dim}")
    return dim % rank

prim::pair_dims(Tensor self, int[]? dim) -> int[]
    if dim is None or len(dim) == 0:
        return [i for i in range(self.dim() - 1)]
    return [torch.ops.prim.pair_dim(self, d) for d in dim]

prim::of_parts(Tensor a, Tensor b, str op) -> Tensor
    if (
        not a.is_floating_point()
        or not b.is_floating_point()
        or a.dtype == torch.bfloat16
        or b.dtype == torch.bfloat16
    ):
        raise RuntimeError(op + " takes two tensors of half, float or double")
    if a.dtype != b.dtype:
        raise RuntimeError(op + " takes two tensors of one dtype")
    return a + b

prim::complex_complex(Tensor real_real, Tensor real_imag) -> Tensor
    like = torch.ops.prim.of_parts(real_real, real_imag, "complex")
    return torch.ops.prim.pair(real_real.expand_as(like), real_imag.expand_as(like))

prim::from_polar(Tensor abs, Tensor angle) -> Tensor
    return torch.stack([abs * angle.cos(), abs * angle.sin()], -1)

prim::complex_polar(Tensor real_abs, Tensor real_angle) -> Tensor
    like = torch.ops.prim.of_parts(real_abs, real_angle, "polar")
    return torch.ops.prim.from_polar(real_abs.expand_as(like), real_angle.expand_as(like))
    others complex length 16 ulp
    peers gradient: a negative length is taken for its magnitude

prim::complex_view_as_complex(Tensor(a) real_self) -> Tensor(a)
    if real_self.dim() == 0 or real_self.shape[-1] != 2 or not real_self.is_floating_point():
        raise RuntimeError("view_as_complex takes floats whose last dim has the size 2")
    return real_self.view(real_self.shape)
    draw self=f[*,2]

prim::complex_view_as_real(Tensor(a) self) -> Tensor(a)
    return self.view(self.shape)

prim::complex_real(Tensor(a) self) -> Tensor(a)
    return self.select(-1, 0)

prim::complex_imag(Tensor(a) self) -> Tensor(a)
    return self.select(-1, 1)

prim::complex_abs(Tensor self) -> Tensor
    a, b = torch.ops.prim.re(self), torch.ops.prim.im(self)
    zero = (a == 0).logical_and(b == 0)  # its gradient is 0 there, hypot's is none
    size = torch.hypot(torch.where(zero, torch.ones_like(a), a), b)
    return torch.where(zero, torch.zeros_like(size), size)
    others complex norm

prim::complex_angle(Tensor self) -> Tensor
    return torch.atan2(torch.ops.prim.im(self), torch.ops.prim.re(self))

prim::complex_is_complex(Tensor self) -> bool
    return True

prim::complex_is_floating_point(Tensor self) -> bool
    return False

prim::complex_size(Tensor self) -> int[]
    return self.shape[:-1]

prim::complex_size.int(Tensor self, int dim) -> int
    return self.size(torch.ops.prim.pair_dim(self, dim))

prim::complex_dim(Tensor self) -> int
    return self.dim() - 1

prim::complex_numel(Tensor self) -> int
    return self.numel() // 2

prim::complex_len.Tensor(Tensor t) -> int
    return len(torch.ops.prim.re(t))

prim::complex_conj(Tensor self) -> Tensor
    return torch.ops.prim.pair(torch.ops.prim.re(self), -torch.ops.prim.im(self))
    traits conjugated

prim::complex_conj_physical(Tensor self) -> Tensor
    return torch.ops.prim.complex_conj(self)

prim::complex_resolve_conj(Tensor(a) self) -> Tensor(a)
    return self.view(self.shape)

prim::complex_resolve_neg(Tensor(a) self) -> Tensor(a)
    return self.view(self.shape)

prim::complex_neg(Tensor self) -> Tensor
    return -self

prim::complex_positive(Tensor(a) self) -> Tensor(a)
    return self.view(self.shape)

prim::complex_add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
    a, b = torch.ops.prim.re(self), torch.ops.prim.im(self)
    c, d = torch.ops.prim.re(other), torch.ops.prim.im(other)
    return torch.ops.prim.pair(torch.add(a, c, alpha=alpha), torch.add(b, d, alpha=alpha))
    others complex product

prim::complex_add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor
    return torch.ops.prim.pair(
        torch.add(torch.ops.prim.re(self), other, alpha=alpha), torch.ops.prim.im(self) + 0
    )
    others complex product

prim::complex_sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
    a, b = torch.ops.prim.re(self), torch.ops.prim.im(self)
    c, d = torch.ops.prim.re(other), torch.ops.prim.im(other)
    return torch.ops.prim.pair(torch.sub(a, c, alpha=alpha), torch.sub(b, d, alpha=alpha))
    others complex product

prim::complex_sub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor
    return torch.ops.prim.pair(
        torch.sub(torch.ops.prim.re(self), other, alpha=alpha), torch.ops.prim.im(self) + 0
    )
    others complex product

prim::complex_rsub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor
    return torch.ops.prim.pair(
        torch.rsub(torch.ops.prim.re(self), other, alpha=alpha),
        torch.rsub(torch.ops.prim.im(self), 0, alpha=alpha),
    )
    others complex product

prim::complex_mul.Tensor(Tensor self, Tensor other) -> Tensor
    a, b = torch.ops.prim.re(self), torch.ops.prim.im(self)
    c, d = torch.ops.prim.re(other), torch.ops.prim.im(other)
    return torch.ops.prim.pair(a * c - b * d, a * d + b * c)
    others complex product

prim::complex_mul.Scalar(Tensor self, Scalar other) -> Tensor
    return self * other
    others complex product

prim::complex_div.Tensor(Tensor self, Tensor other) -> Tensor
    a, b = torch.ops.prim.re(self), torch.ops.prim.im(self)
    c, d = torch.ops.prim.re(other), torch.ops.prim.im(other)
    wide = torch.maximum(c.abs(), d.abs())
    c, d = c / wide, d / wide
    under = (c * c + d * d) * wide
    return torch.ops.prim.pair((a * c + b * d) / under, (b * c - a * d) / under)
    others complex length 16 ulp

prim::complex_div.Scalar(Tensor self, Scalar other) -> Tensor
    return self / other
    others complex length 16 ulp

prim::complex_reciprocal(Tensor self) -> Tensor
    one = torch.ops.prim.complex_of(torch.ones_like(torch.ops.prim.re(self)))
    return torch.ops.prim.complex_div(one, self)
    others complex length 16 ulp

prim::complex_square(Tensor self) -> Tensor
    return torch.ops.prim.complex_mul(self, self)
    others complex product

prim::complex_exp(Tensor self) -> Tensor
    return torch.ops.prim.from_polar(torch.ops.prim.re(self).exp(), torch.ops.prim.im(self))
    others complex length 16 ulp

prim::complex_log(Tensor self) -> Tensor
    return torch.ops.prim.pair(
        torch.hypot(torch.ops.prim.re(self), torch.ops.prim.im(self)).log(),
        torch.ops.prim.complex_angle(self),
    )
    others complex length 16 ulp

prim::complex_sqrt(Tensor self) -> Tensor
    return torch.ops.prim.from_polar(
        torch.hypot(torch.ops.prim.re(self), torch.ops.prim.im(self)).sqrt(),
        torch.ops.prim.complex_angle(self) * 0.5,
    )
    others complex length 16 ulp

prim::complex_sin(Tensor self) -> Tensor
    a, b = torch.ops.prim.re(self), torch.ops.prim.im(self)
    return torch.ops.prim.pair(a.sin() * b.cosh(), a.cos() * b.sinh())
    others complex length 16 ulp

prim::complex_cos(Tensor self) -> Tensor
    a, b = torch.ops.prim.re(self), torch.ops.prim.im(self)
    return torch.ops.prim.pair(a.cos() * b.cosh(), -a.sin() * b.sinh())
    others complex length 16 ulp

prim::complex_sgn(Tensor self) -> Tensor
    size = torch.ops.prim.complex_abs(self).unsqueeze(-1)
    zero = size == 0
    return torch.where(
        zero, torch.zeros_like(self), self / torch.where(zero, torch.ones_like(size), size)
    )
    others complex length 16 ulp

prim::complex_pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor
    if exponent == 2:
        return torch.ops.prim.complex_mul(self, self)
    size = torch.pow(torch.hypot(torch.ops.prim.re(self), torch.ops.prim.im(self)), exponent)
    return torch.ops.prim.from_polar(size, torch.ops.prim.complex_angle(self) * exponent)
    others complex length 16 ulp

prim::complex_eq.Tensor(Tensor self, Tensor other) -> Tensor
    return (self == other).all(-1)

prim::complex_ne.Tensor(Tensor self, Tensor other) -> Tensor
    return (self != other).any(-1)

prim::complex_where.self(Tensor real_condition, Tensor self, Tensor other) -> Tensor
    return torch.where(real_condition.unsqueeze(-1), self, other)

prim::complex_masked_fill.Scalar(Tensor self, Tensor real_mask, Scalar value) -> Tensor
    filled = torch.ops.prim.re(self).masked_fill(real_mask, value)
    return torch.ops.prim.pair(filled, torch.ops.prim.im(self).masked_fill(real_mask, 0))

prim::complex_dropout(Tensor input, float p, bool train) -> Tensor
    random if train and p > 0 and p < 1 and input
    return input * torch.ops.aten.dropout(
        torch.ones_like(torch.ops.prim.re(input)), p, train
    ).unsqueeze(-1)
    others complex product

prim::complex_copy_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)
    return self.copy_(src)

prim::complex_add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)
    return self.copy_(torch.ops.prim.complex_add(self, other, alpha=alpha))
    others complex product

prim::complex_sub_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)
    return self.copy_(torch.ops.prim.complex_sub(self, other, alpha=alpha))
    others complex product

prim::complex_mul_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
    return self.copy_(torch.ops.prim.complex_mul(self, other))
    others complex product

prim::complex_mul_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
    return self.mul_(other)
    others complex product

prim::complex_div_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
    return self.copy_(torch.ops.prim.complex_div(self, other))
    others complex length 16 ulp

prim::complex_div_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
    return self.div_(other)
    others complex length 16 ulp

prim::complex_zero_(Tensor(a!) self) -> Tensor(a!)
    return self.zero_()

prim::complex_select.int(Tensor(a) self, int dim, int index) -> Tensor(a)
    return self.select(torch.ops.prim.pair_dim(self, dim), index)

prim::complex_slice.Tensor(Tensor(a) self, int dim=0, int? start=None, int? end=None,
                           int step=1) -> Tensor(a)
    return torch.ops.aten.slice(self, torch.ops.prim.pair_dim(self, dim), start, end, step)

prim::complex_narrow(Tensor(a) self, int dim, int start, int length) -> Tensor(a)
    return self.narrow(torch.ops.prim.pair_dim(self, dim), start, length)

prim::complex_unsqueeze(Tensor(a) self, int dim) -> Tensor(a)
    rank = self.dim()
    if dim >= rank or dim < -rank:
        raise IndexError(f"unsqueeze: dims lie from {-rank} to {rank - 1}, got {dim}")
    return self.unsqueeze(dim % rank)

prim::complex_squeeze(Tensor(a) self) -> Tensor(a)
    return self.squeeze()

prim::complex_squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)
    if self.dim() == 1 and (dim == 0 or dim == -1):
        return self.view(self.shape)
    return self.squeeze(torch.ops.prim.pair_dim(self, dim))

prim::complex_transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)
    return self.transpose(torch.ops.prim.pair_dim(self, dim0), torch.ops.prim.pair_dim(self, dim1))

prim::complex_swapaxes(Tensor(a) self, int axis0, int axis1) -> Tensor(a)
    return self.transpose(
        torch.ops.prim.pair_dim(self, axis0), torch.ops.prim.pair_dim(self, axis1)
    )

prim::complex_t(Tensor(a) self) -> Tensor(a)
    if self.dim() > 3:
        raise RuntimeError(f"t() takes a tensor of at most 2 dims, got {self.dim() - 1}")
    return self.transpose(0, 1) if self.dim() == 3 else self.view(self.shape)

prim::complex_numpy_T(Tensor(a) self) -> Tensor(a)
    rank = self.dim() - 1
    return self.permute([rank - 1 - i for i in range(rank)] + [rank])

prim::complex_permute(Tensor(a) self, int[] dims) -> Tensor(a)
    return self.permute(torch.ops.prim.pair_dims(self, dims) + [self.dim() - 1])
    draw self=f[N,M,K] dims=<1,2,0>|<-1,0,1>|<0,2,1>

prim::complex_movedim.int(Tensor(a) self, int source, int destination) -> Tensor(a)
    return self.movedim(
        torch.ops.prim.pair_dim(self, source), torch.ops.prim.pair_dim(self, destination)
    )

prim::complex_reshape(Tensor(a) self, int[] shape) -> Tensor(a)
    return self.reshape(shape + [2])
    draw self=f[N,M] shape=<M,N>|<-1>|<1,N,M>

prim::complex_view(Tensor(a) self, int[] size) -> Tensor(a)
    return self.view(size + [2])
    draw self=f[N,M] size=<M,N>|<-1>|<1,N,M>

prim::complex_expand(Tensor(a) self, int[] size, *, bool implicit=False) -> Tensor(a)
    return self.expand(size + [2])
    draw self=f[1,M] size=<N,M>|<-1,M>|<2,N,M>

prim::complex_flatten.using_ints(Tensor(a) self, int start_dim=0, int end_dim=-1) -> Tensor(a)
    if self.dim() == 1:
        if start_dim < -1 or start_dim > 0 or end_dim < -1 or end_dim > 0:
            raise IndexError(f"flatten: dims lie from -1 to 0, got {start_dim} and {end_dim}")
        return self.reshape([1, 2])
    return self.flatten(
        torch.ops.prim.pair_dim(self, start_dim), torch.ops.prim.pair_dim(self, end_dim)
    )

prim::complex_unflatten.int(Tensor(a) self, int dim, int[] sizes) -> Tensor(a)
    return self.unflatten(torch.ops.prim.pair_dim(self, dim), sizes)

prim::complex_repeat(Tensor self, int[] repeats) -> Tensor
    return self.repeat(repeats + [1])

prim::complex_chunk(Tensor(a -> *) self, int chunks, int dim=0) -> Tensor(a)[]
    return self.chunk(chunks, torch.ops.prim.pair_dim(self, dim))

prim::complex_split.Tensor(Tensor(a -> *) self, int split_size, int dim=0) -> Tensor(a)[]
    return self.split(split_size, torch.ops.prim.pair_dim(self, dim))

prim::complex_unbind.int(Tensor(a -> *) self, int dim=0) -> Tensor(a)[]
    return self.unbind(torch.ops.prim.pair_dim(self, dim))

prim::complex_cat(Tensor[] tensors, int dim=0) -> Tensor
    return torch.cat(tensors, torch.ops.prim.pair_dim(tensors[0], dim))
    draw tensors=(f[N,M];=[N,M];=[N,M])|(f[N,M];=[K,M]) dim=0|-2

prim::complex_stack(Tensor[] tensors, int dim=0) -> Tensor
    return torch.stack(tensors, dim if dim >= 0 else dim - 1)
    draw tensors=(f[N,M];=[N,M]) dim=-3..2

prim::complex_index.Tensor(Tensor self, Tensor?[] indices) -> Tensor
    if len(indices) >= self.dim():
        raise IndexError(f"too many indices for {self.dim() - 1} dims")
    return torch.ops.aten.index(self, indices)
    draw self=f[N,M] indices=(l[K]{0..N-1})|(l[K]{0..N-1};l[K]{0..M-1}) N=1..5 M=1..5

prim::complex_index_select(Tensor self, int dim, Tensor real_index) -> Tensor
    return self.index_select(torch.ops.prim.pair_dim(self, dim), real_index)
    draw self=f[N,M] dim=0 index=l[K]{0..N-1} N=1..5

prim::complex_roll(Tensor self, int[1] shifts, int[1] dims=[]) -> Tensor
    if len(shifts) == 0 and self.numel() > 0:
        raise RuntimeError("roll takes at least one shift")
    if len(dims) == 0:
        return self.reshape([-1, 2]).roll(shifts, [0]).reshape(self.shape)
    return self.roll(shifts, torch.ops.prim.pair_dims(self, dims))

prim::complex_flip(Tensor self, int[] dims) -> Tensor
    return self if len(dims) == 0 else self.flip(torch.ops.prim.pair_dims(self, dims))

prim::complex_contiguous(Tensor(a) self, *, MemoryFormat memory_format=0) -> Tensor(a)
    if memory_format > 1:
        layout = torch.ops.prim.re(self).contiguous(memory_format=memory_format)
    return self.contiguous()

prim::complex_clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor
    if memory_format is not None and memory_format > 1:
        layout = torch.ops.prim.re(self).clone(memory_format=memory_format)
    return self.clone()

prim::complex_detach(Tensor(a) self) -> Tensor(a)
    return self.detach()

prim::complex_tril(Tensor self, int diagonal=0) -> Tensor
    return torch.ops.prim.pair(
        torch.ops.prim.re(self).tril(diagonal), torch.ops.prim.im(self).tril(diagonal)
    )

prim::complex_triu(Tensor self, int diagonal=0) -> Tensor
    return torch.ops.prim.pair(
        torch.ops.prim.re(self).triu(diagonal), torch.ops.prim.im(self).triu(diagonal)
    )

prim::complex_sum(Tensor self, *, ScalarType? dtype=None) -> Tensor
    return torch.ops.prim.pair(
        torch.ops.prim.re(self).sum(dtype=dtype), torch.ops.prim.im(self).sum(dtype=dtype)
    )

prim::of_one(Tensor self, int[]? dim, ScalarType? dtype) -> Tensor
    # of one number any dim is the whole
    for d in torch.jit.annotate(List[int], []) if dim is None else dim:
        if d != 0 and d != -1:
            raise IndexError(f"dims lie from -1 to 0, got {d}")
    return self.clone() if dtype is None else self.to(dtype)

prim::complex_sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *,
                              ScalarType? dtype=None) -> Tensor
    if self.dim() == 1:
        return torch.ops.prim.of_one(self, dim, dtype)
    return torch.ops.aten.sum(self, torch.ops.prim.pair_dims(self, dim), keepdim, dtype=dtype)

prim::complex_mean(Tensor self, *, ScalarType? dtype=None) -> Tensor
    return torch.ops.prim.pair(
        torch.ops.prim.re(self).mean(dtype=dtype), torch.ops.prim.im(self).mean(dtype=dtype)
    )
    others complex length 16 ulp

prim::complex_mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *,
                       ScalarType? dtype=None) -> Tensor
    if self.dim() == 1:
        return torch.ops.prim.of_one(self, dim, dtype)
    return torch.ops.aten.mean(self, torch.ops.prim.pair_dims(self, dim), keepdim, dtype=dtype)
    others complex length 16 ulp

prim::complex_cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor
    if self.dim() == 1:
        return torch.ops.prim.of_one(self, [dim], dtype)
    return self.cumsum(torch.ops.prim.pair_dim(self, dim), dtype=dtype)

prim::complex_prod.dim_int(Tensor self, int dim, bool keepdim=False, *,
                           ScalarType? dtype=None) -> Tensor
    if self.dim() == 1:
        return torch.ops.prim.of_one(self, [dim], dtype)
    d = torch.ops.prim.pair_dim(self, dim)
    x = self if dtype is None else self.to(dtype)
    if x.shape[d] == 0:
        sizes = x.shape[:d] + x.shape[d + 1:-1]
        return torch.ops.prim.complex_of(
            torch.ones(sizes[:d] + [1] + sizes[d:] if keepdim else sizes, dtype=x.dtype)
        )
    out = x.select(d, 0)
    for i in range(1, x.shape[d]):
        out = torch.ops.prim.complex_mul(out, x.select(d, i))
    return out.unsqueeze(d) if keepdim else out
    others complex length 16 ulp

prim::complex_zeros_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None,
                         Device? device=None, bool? pin_memory=None,
                         MemoryFormat? memory_format=None) -> Tensor
    if memory_format is not None and memory_format > 1:
        layout = torch.ops.prim.re(self).clone(memory_format=memory_format)
    return torch.zeros_like(self, dtype=dtype)

prim::complex_ones_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None,
                        Device? device=None, bool? pin_memory=None,
                        MemoryFormat? memory_format=None) -> Tensor
    if memory_format is not None and memory_format > 1:
        layout = torch.ops.prim.re(self).clone(memory_format=memory_format)
    return torch.ops.prim.complex_of(torch.ones_like(torch.ops.prim.re(self), dtype=dtype))

prim::complex_empty_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None,
                         Device? device=None, bool? pin_memory=None,
                         MemoryFormat? memory_format=None) -> Tensor
    if memory_format is not None and memory_format > 1:
        layout = torch.ops.prim.re(self).clone(memory_format=memory_format)
    return torch.empty_like(self, dtype=dtype)
    traits unwritten

prim::complex_zeros(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None,
                    bool? pin_memory=None) -> Tensor
    return torch.zeros(size + [2], dtype=dtype)

prim::complex_empty.memory_format(int[] size, *, ScalarType? dtype=None, Layout? layout=None,
                                  Device? device=None, bool? pin_memory=None,
                                  MemoryFormat? memory_format=None) -> Tensor
    if memory_format is not None and memory_format > 1:
        layout = torch.empty(size, memory_format=memory_format)
    return torch.zeros(size + [2], dtype=dtype)
    traits unwritten

prim::complex_ones(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None,
                   bool? pin_memory=None) -> Tensor
    return torch.ops.prim.complex_of(torch.ones(size, dtype=dtype))

prim::complex_full(int[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None,
                   Device? device=None, bool? pin_memory=None) -> Tensor
    return torch.ops.prim.complex_of(torch.full(size, fill_value, dtype=dtype))

prim::complex_randn(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None,
                    bool? pin_memory=None) -> Tensor
    random if size
    return torch.randn(size + [2], dtype=dtype) * math.sqrt(0.5)

prim::complex_rand(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None,
                   bool? pin_memory=None) -> Tensor
    random if size
    return torch.rand(size + [2], dtype=dtype)

prim::complex_to.dtype(Tensor(a) self, ScalarType dtype, bool non_blocking=False, bool copy=False,
                       MemoryFormat? memory_format=None) -> Tensor(a)
    return torch.ops.aten.to(self, dtype, non_blocking, copy)

prim::complex_matmul(Tensor self, Tensor other) -> Tensor
    a, b = torch.ops.prim.re(self), torch.ops.prim.im(self)
    c, d = torch.ops.prim.re(other), torch.ops.prim.im(other)
    return torch.ops.prim.pair(a.matmul(c) - b.matmul(d), a.matmul(d) + b.matmul(c))
    draw self=f[N,K]|f[B,N,K]|f[K] other==[K,M]|=[K]
    others complex product

prim::complex_mm(Tensor self, Tensor mat2) -> Tensor
    return torch.ops.prim.complex_matmul(self, mat2)
    draw self=f[N,K] mat2==[K,M]
    others complex product

prim::complex_bmm(Tensor self, Tensor mat2) -> Tensor
    return torch.ops.prim.complex_matmul(self, mat2)
    draw self=f[B,N,K] mat2==[B,K,M]
    others complex product

prim::complex_mv(Tensor self, Tensor vec) -> Tensor
    return torch.ops.prim.complex_matmul(self, vec)
    draw self=f[N,K] vec==[K]
    others complex product

prim::complex_dot(Tensor self, Tensor tensor) -> Tensor
    return torch.ops.prim.complex_matmul(self, tensor)
    draw self=f[N] tensor==[N]
    others complex product

prim::complex_vdot(Tensor self, Tensor other) -> Tensor
    return torch.ops.prim.complex_matmul(torch.ops.prim.complex_conj(self), other)
    others complex product

prim::complex_outer(Tensor self, Tensor vec2) -> Tensor
    return torch.ops.prim.complex_mul(self.unsqueeze(1), vec2)
    draw self=f[N] vec2==[M]
    others complex product

prim::complex_linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor
    if bias is not None:
        raise RuntimeError("linear of complex numbers takes no bias here: add it")
    return torch.ops.prim.complex_matmul(input, weight.transpose(0, 1))
    draw input=f[*,K] weight==[M,K] bias=None
    others complex product

prim::complex_einsum(str equation, Tensor[] tensors, *, int[]? path=None) -> Tensor
    if len(tensors) > 2:
        raise RuntimeError("einsum takes one or two complex tensors here")
    a, b = torch.ops.prim.re(tensors[0]), torch.ops.prim.im(tensors[0])
    if len(tensors) == 1:
        return torch.ops.prim.pair(torch.einsum(equation, [a]), torch.einsum(equation, [b]))
    c, d = torch.ops.prim.re(tensors[1]), torch.ops.prim.im(tensors[1])
    real = torch.einsum(equation, [a, c]) - torch.einsum(equation, [b, d])
    return torch.ops.prim.pair(
        real, torch.einsum(equation, [a, d]) + torch.einsum(equation, [b, c])
    )
    others complex product
