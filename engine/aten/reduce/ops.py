# Statistics, tests of everything, counts.
#
# Where several elements equal an extreme of many dimensions, its gradient is shared evenly; an
# operator that also returns the index gives all to that element.

prim::variance_gradient(Tensor grad, Tensor self, int[]? dim, float correction,
                        bool keepdim) -> Tensor
    count = float(torch.ops.prim.count_over(self, dim)) - correction
    whole = torch.ops.prim.restore_dims(grad, dim, keepdim, self.dim())
    mean = torch.ops.prim.restore_dims(self.mean(dim, False), dim, False, self.dim())
    scale = 2.0 / count if count > 0.0 else float("inf")
    return whole * (self - mean) * scale

prim::norm_gradient(Tensor grad, Tensor self, Tensor result, float p, int[]? dim,
                    bool keepdim) -> Tensor
    share = torch.ops.prim.restore_dims(grad, dim, keepdim, self.dim())
    norm = torch.ops.prim.restore_dims(result, dim, keepdim, self.dim())
    some = norm.masked_fill(norm == 0, 1)
    if p == 0.0:
        return torch.zeros_like(self)
    if p == 1.0:
        return self.sgn() * share
    if p == 2.0:
        return share * (self / some).masked_fill(norm == 0, 0)
    if p == float("inf") or p == -float("inf"):
        dims = [i for i in range(self.dim())] if dim is None or len(dim) == 0 else dim
        chosen = (self.abs() == norm) | (self.isnan() & norm.isnan())
        return self.sgn() * (share / chosen.sum(dims, True) * chosen.to(grad.dtype))
    if p < 1.0:
        each = self.sgn() * self.abs().pow(p - 1.0).masked_fill(self == 0, 0)
        return each * share * norm.pow(1.0 - p)
    scale = (share / some.pow(p - 1.0)).masked_fill(norm == 0, 0)
    if p < 2.0:
        return self.sgn() * self.abs().pow(p - 1.0) * scale
    return self * self.abs().pow(p - 2.0) * scale

prim::deviation_gradient(Tensor grad, Tensor self, Tensor result, int[]? dim, float correction,
                         bool keepdim) -> Tensor
    slope = (grad / (result * 2)).masked_fill(result == 0, 0)
    return torch.ops.prim.variance_gradient(slope, self, dim, correction, keepdim)

prim::whole_dims(Tensor self, int[]? dim) -> int[]
    if dim is None or len(dim) == 0:
        return [i for i in range(self.dim())]
    return dim

prim::named_dims(Tensor self, int[] dim, str name) -> int[]
    n = max(self.dim(), 1)
    for d in dim:
        if d >= n or d < -n:
            raise IndexError(f"dims of {name} lie from {-n} to {n - 1}, got {d}")
    named = [d % n for d in dim]
    for i in range(len(named)):
        if named[i] in named[:i]:
            raise RuntimeError(f"dim {named[i]} appears twice in {name}'s dims")
    return named

prim::named_dim(Tensor self, int dim, str name) -> int
    return torch.ops.prim.named_dims(self, [dim], name)[0]

aten::aminmax(Tensor self, *, int? dim=None, bool keepdim=False) -> (Tensor min, Tensor max)
    if dim is None:
        if self.numel() == 0:
            raise RuntimeError("aminmax of no elements")
        dims = [i for i in range(self.dim() if keepdim else 0)]
        return self.amin(dims, keepdim), self.amax(dims, keepdim)
    return self.amin([dim], keepdim), self.amax([dim], keepdim)

aten::var_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)
    return self.var(unbiased), self.mean()
    peers gradient: over an empty list of dimensions counts otherwise
    others not finite

aten::var_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor,
                   Tensor)
    return self.var(dim, unbiased, keepdim), self.mean(dim, keepdim)
    peers gradient: over an empty list of dimensions counts otherwise
    others not finite

aten::var_mean.correction(Tensor self, int[1]? dim, *, int? correction,
                          bool keepdim=False) -> (Tensor, Tensor)
    return self.var(dim, correction=correction, keepdim=keepdim), self.mean(dim, keepdim)
    peers gradient: over an empty list of dimensions counts otherwise
    others not finite

aten::std_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)
    return self.std(unbiased), self.mean()
    peers gradient: over an empty list of dimensions counts otherwise
    others not finite

aten::std_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor,
                   Tensor)
    return self.std(dim, unbiased, keepdim), self.mean(dim, keepdim)
    peers gradient: over an empty list of dimensions counts otherwise
    others not finite

aten::std_mean.correction(Tensor self, int[1]? dim, *, int? correction,
                          bool keepdim=False) -> (Tensor, Tensor)
    return self.std(dim, correction=correction, keepdim=keepdim), self.mean(dim, keepdim)
    peers gradient: over an empty list of dimensions counts otherwise
    others not finite

aten::nansum(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor
    return self.masked_fill(self != self, 0).sum(dim, keepdim, dtype=dtype)

aten::nanmean(Tensor self, int[1]? dim=None, bool keepdim=False, *,
              ScalarType? dtype=None) -> Tensor
    if not self.is_floating_point():
        raise RuntimeError("nanmean takes a tensor of floats")
    if dtype is not None and not torch.zeros([0], dtype=dtype).is_floating_point():
        raise RuntimeError("nanmean gives a dtype of floats")
    return self.nansum(dim, keepdim, dtype=dtype) / (self == self).sum(dim, keepdim)

aten::count_nonzero.dim_IntList(Tensor self, int[] dim) -> Tensor
    return (self != 0).sum(dim)

aten::count_nonzero(Tensor self, int? dim=None) -> Tensor
    if dim is None:
        return (self != 0).sum()
    return (self != 0).sum([dim])

aten::equal(Tensor self, Tensor other) -> bool
    return self.shape == other.shape and bool((self == other).all())

aten::isclose(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08,
              bool equal_nan=False) -> Tensor
    if self.dtype != other.dtype:
        raise RuntimeError("isclose compares tensors of one dtype")
    if not (rtol >= 0.0 and atol >= 0.0):
        raise RuntimeError("isclose: rtol and atol are at least 0")
    close = self == other
    if equal_nan:
        close = close | (self != self) & (other != other)
    if rtol == 0.0 and atol == 0.0:
        return close
    if not self.is_floating_point():
        wanted = other.to(torch.float32)
        return close | ((self.to(torch.float32) - wanted).abs() <= atol + (wanted * rtol).abs())
    difference = (self - other).abs()
    return close | torch.isfinite(difference) & (difference <= atol + (rtol * other).abs())

aten::allclose(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08,
               bool equal_nan=False) -> bool
    return bool(torch.isclose(self, other, rtol, atol, equal_nan).all())

aten::is_nonzero(Tensor self) -> bool
    if self.numel() != 1:
        raise RuntimeError("whether a tensor is true is clear for one element only")
    return bool((self != 0).all())

aten::cov(Tensor self, *, int correction=1, Tensor? fweights=None, Tensor? aweights=None) -> Tensor
    if self.dim() > 2 or self.dtype == torch.bool:
        raise RuntimeError("cov takes numbers in at most two dims")
    x = self.reshape([1, -1]) if self.dim() < 2 else self
    if fweights is not None:
        if (
            fweights.is_floating_point()
            or fweights.dtype == torch.bool
            or fweights.dim() > 1
            or fweights.numel() != x.shape[1]
        ):
            raise RuntimeError("cov takes for fweights an integer for each observation")
    if aweights is not None:
        if not aweights.is_floating_point() or aweights.dim() > 1 or aweights.numel() != x.shape[1]:
            raise RuntimeError("cov takes for aweights a float for each observation")
    if fweights is None and aweights is None:
        centred = x - x.sum([1], True) / x.shape[1]
        count = max(x.shape[1] - correction, 0)
        out = centred.matmul(centred.t()) / count
        return out.squeeze()
    share = torch.ones([x.shape[1]], dtype=x.dtype)
    if fweights is not None:
        share = fweights
    elif aweights is not None:
        share = aweights
    if fweights is not None and aweights is not None:
        share = fweights * aweights
    total = share.sum()
    if (share < 0).any() or total == 0:
        raise RuntimeError("cov takes weights of at least 0, of which one is more")
    centred = x - (x * share).sum([1], True) / total
    lost = (
        total * 0 + correction
        if aweights is None
        else correction * ((share * aweights).sum() / total)
    )
    return (
        centred.matmul((centred * share).t().to(centred.dtype)) / (total - lost).clamp_min(0)
    ).squeeze()
    draw self=n[N,M] fweights=?l[M]{1..3} aweights=None

aten::corrcoef(Tensor self) -> Tensor
    c = torch.cov(self)
    if c.dim() == 0:
        return c / c
    spread = c.diagonal().sqrt()
    return (c / spread.unsqueeze(1) / spread.unsqueeze(0)).clamp(-1.0, 1.0)

aten::trace(Tensor self) -> Tensor
    if self.dim() != 2:
        raise RuntimeError("trace takes a matrix")
    return self.diagonal().sum()
    peers gradient when tall: 1.13.1 goes on below the last column

aten::sum_to_size(Tensor self, int[] size) -> Tensor
    before = self.dim() - len(size)
    if before < 0:
        raise RuntimeError("sum_to_size takes no more sizes than the tensor has dims")
    gone = [i for i in range(before)]
    for i in range(len(size)):
        if size[i] != self.shape[before + i]:
            if size[i] != 1:
                raise RuntimeError("sum_to_size: a size is that of the tensor, or 1")
            gone.append(before + i)
    return self.clone() if len(gone) == 0 and len(size) > 0 else self.sum(gone, True).reshape(size)
    draw self=a[N,M]|a[] size=<1,M>|<N,1>|<M>|<>

prim::truth(Tensor self) -> Tensor
    return (self != 0).to(torch.uint8) if self.dtype == torch.uint8 else self != 0

prim::all_or_named(Tensor self, int[]? dim, str name) -> int[]
    return (
        [i for i in range(self.dim())]
        if dim is None
        else torch.ops.prim.named_dims(self, dim, name)
    )

aten::any.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor
    since 2
    out, dims = torch.ops.prim.truth(self), torch.ops.prim.all_or_named(self, dim, "any")
    for d in dims:
        out = out.any(d, True)
    return out if keepdim else torch.ops.prim.remove_dims(out, dims)

aten::all.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor
    since 2
    out, dims = torch.ops.prim.truth(self), torch.ops.prim.all_or_named(self, dim, "all")
    for d in dims:
        out = out.all(d, True)
    return out if keepdim else torch.ops.prim.remove_dims(out, dims)

prim::spread(Tensor self, int[1]? dim, float correction, bool keepdim) -> Tensor
    whole = torch.ops.prim.whole_dims(self, dim)
    count = 1
    for d in whole:
        count = count * self.shape[d]
    mean = self.mean(whole, True)
    return ((self - mean) * (self - mean)).sum(whole, keepdim) / (
        max(count - correction, 0.0) if count > 0 else 0.0
    )

aten::var.float_correction(Tensor self, int[1]? dim=None, *, float correction,
                           bool keepdim=False) -> Tensor
    since 2
    return torch.ops.prim.spread(torch.ops.prim.wide(self), dim, correction, keepdim).to(self.dtype)
    peers gradient: over an empty list of dimensions counts otherwise

aten::std.float_correction(Tensor self, int[1]? dim=None, *, float correction,
                           bool keepdim=False) -> Tensor
    since 2
    return (
        torch.ops.prim.spread(torch.ops.prim.wide(self), dim, correction, keepdim)
        .sqrt()
        .to(self.dtype)
    )
    peers gradient: over an empty list of dimensions counts otherwise

aten::var_mean.float_correction(Tensor self, int[1]? dim=None, *, float correction,
                                bool keepdim=False) -> (Tensor, Tensor)
    since 2
    out = torch.ops.prim.spread(torch.ops.prim.wide(self), dim, correction, keepdim).to(self.dtype)
    return out, self.mean(torch.ops.prim.whole_dims(self, dim), keepdim)
    peers gradient: over an empty list of dimensions counts otherwise
    others not finite

aten::std_mean.float_correction(Tensor self, int[1]? dim=None, *, float correction,
                                bool keepdim=False) -> (Tensor, Tensor)
    since 2
    out = (
        torch.ops.prim.spread(torch.ops.prim.wide(self), dim, correction, keepdim)
        .sqrt()
        .to(self.dtype)
    )
    return out, self.mean(torch.ops.prim.whole_dims(self, dim), keepdim)
    peers gradient: over an empty list of dimensions counts otherwise
    others not finite

aten::var(Tensor self, bool unbiased=True) -> Tensor
    payload
    x = torch.ops.prim.require_floating(self, "aten::var")
    return torch.ops.prim.variance(x, None, False, int(unbiased)).to(x.dtype)
    gradient self:
        return torch.ops.prim.variance_gradient(grad, self, None, 1.0 if unbiased else 0.0, False)
    peers gradient: over an empty list of dimensions counts otherwise

aten::var.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor
    payload
    x = torch.ops.prim.require_floating(self, "aten::var")
    return torch.ops.prim.variance(x, dim, keepdim, int(unbiased)).to(x.dtype)
    gradient self:
        return torch.ops.prim.variance_gradient(grad, self, dim, 1.0 if unbiased else 0.0, keepdim)
    peers gradient: over an empty list of dimensions counts otherwise

aten::var.correction(Tensor self, int[1]? dim, *, int? correction, bool keepdim=False) -> Tensor
    payload
    x = torch.ops.prim.require_floating(self, "aten::var")
    return torch.ops.prim.variance(x, dim, keepdim, correction).to(x.dtype)
    gradient self:
        return torch.ops.prim.variance_gradient(
            grad, self, dim, 1.0 if correction is None else float(correction), keepdim
        )
    peers gradient: over an empty list of dimensions counts otherwise

aten::std(Tensor self, bool unbiased=True) -> Tensor
    payload
    x = torch.ops.prim.require_floating(self, "aten::std")
    return torch.ops.prim.variance(x, None, False, int(unbiased)).sqrt().to(x.dtype)
    gradient self:
        return torch.ops.prim.deviation_gradient(
            grad, self, result, None, 1.0 if unbiased else 0.0, False
        )
    peers gradient: over an empty list of dimensions counts otherwise

aten::std.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor
    payload
    x = torch.ops.prim.require_floating(self, "aten::std")
    return torch.ops.prim.variance(x, dim, keepdim, int(unbiased)).sqrt().to(x.dtype)
    gradient self:
        return torch.ops.prim.deviation_gradient(
            grad, self, result, dim, 1.0 if unbiased else 0.0, keepdim
        )
    peers gradient: over an empty list of dimensions counts otherwise

aten::std.correction(Tensor self, int[1]? dim, *, int? correction, bool keepdim=False) -> Tensor
    payload
    x = torch.ops.prim.require_floating(self, "aten::std")
    return torch.ops.prim.variance(x, dim, keepdim, correction).sqrt().to(x.dtype)
    gradient self:
        return torch.ops.prim.deviation_gradient(
            grad, self, result, dim, 1.0 if correction is None else float(correction), keepdim
        )
    peers gradient: over an empty list of dimensions counts otherwise

# In the wider dtype.
prim::variance(Tensor self, int[1]? dim, bool keepdim, int? correction) -> Tensor
    wide = self.to(torch.ops.prim.wide_dtype(self))
    centered = wide - wide.mean(dim, True)
    total = (centered * centered).sum(dim, keepdim)
    return total / torch.ops.prim.degrees(wide, dim, correction)

aten::any(Tensor self) -> Tensor
    payload
    return ((self != 0).sum(None, False) != 0).to(torch.ops.prim.truth_dtype(self))

aten::any.dim(Tensor self, int dim, bool keepdim=False) -> Tensor
    payload
    return ((self != 0).sum([dim], keepdim) != 0).to(torch.ops.prim.truth_dtype(self))

aten::all(Tensor self) -> Tensor
    payload
    return ((self == 0).sum(None, False) == 0).to(torch.ops.prim.truth_dtype(self))

aten::all.dim(Tensor self, int dim, bool keepdim=False) -> Tensor
    payload
    return ((self == 0).sum([dim], keepdim) == 0).to(torch.ops.prim.truth_dtype(self))

aten::max(Tensor self) -> Tensor
    payload
    return self.amax([])

aten::min(Tensor self) -> Tensor
    payload
    return self.amin([])

# Infinities of one line: the finite maximum keeps inf - inf away.
aten::logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor
    payload
    x = torch.ops.prim.floating(self)
    whole = torch.ops.prim.finite_or_zero(torch.ops.prim.amax_or_least(x, dim, True))
    return ((x - whole).exp().sum(dim, True).log() + whole).sum(dim, keepdim)
    gradient self:
        return torch.ops.prim.restore_dims(grad, dim, keepdim, self.dim()) * torch.exp(
            self - torch.ops.prim.restore_dims(result, dim, keepdim, self.dim())
        )

# Of operators in C++.
prim::prelu
    gradient self: torch.where(self > 0, grad, grad * weight)
    gradient weight: (grad * self).masked_fill(self > 0, 0)
aten::sum
    gradient self: grad.expand(self.size())
aten::sum.dim_IntList
    gradient self: torch.ops.prim.restore_dims(grad, dim, keepdim, self.dim()).expand(self.size())
aten::mean
    gradient self: (grad / self.numel()).expand(self.size())
aten::mean.dim
    gradient self:
        return (
            torch.ops.prim.restore_dims(grad, dim, keepdim, self.dim())
            / torch.ops.prim.count_over(self, dim)
        ).expand(self.size())
prim::reduce_loss
    gradient self:
        if reduction == 0:
            return grad
        share = grad / self.numel() if reduction == 1 else grad
        return share.expand(self.size())
aten::prod
    gradient self:
        return grad * torch.ops.prim.other_factors(
            self,
            torch.ops.prim.product_of_others(self.reshape([-1]), 0).reshape(self.size()),
            result,
        )
aten::prod.dim_int
    gradient self:
        whole = torch.ops.prim.restore_dims(result, [dim], keepdim, self.dim())
        others = torch.ops.prim.other_factors(
            self, torch.ops.prim.product_of_others(self, dim), whole
        )
        return torch.ops.prim.restore_dims(grad, [dim], keepdim, self.dim()) * others
aten::amax, aten::amin, prim::amax_or_least
    gradient self:
        return torch.ops.prim.even_share(
            torch.ops.prim.restore_dims(grad, dim, keepdim, self.dim()),
            torch.ops.prim.restore_dims(result, dim, keepdim, self.dim()) == self,
            [i for i in range(self.dim())] if len(dim) == 0 else dim,
        )
aten::max, aten::min, aten::median, aten::nanmedian
    gradient self:
        same = self.isnan() if bool(result.isnan()) else self == result
        return same.to(grad.dtype) * (grad / same.sum())
prim::finite_or_zero
    gradient self: grad.masked_fill(~torch.isfinite(self), 0)
aten::broadcast_tensors
    gradient tensors: grad
    draw tensors=(a[N,M];a[M];a[N,1])
aten::as_strided
    gradient self:
        own = self.storage_offset()
        at = own if storage_offset is None else storage_offset
        low = min(own, at)
        if own == low:
            return torch.ops.prim.gradient_of_part(
                grad, self.size(), self.stride(), size, stride, at - own
            )
        raise RuntimeError("as_strided: no gradient of elements before the tensor's first")
    draw self=a[33] size=<2,3>|<3,1,2> stride=<3,2>|<4,0,1> storage_offset=?0..9

aten::amax
    sibling aten::amin

# Forms with `out=`: of one result that is never cast, or with names that results do not have.
aten::amax, aten::amin, aten::histc, aten::linalg_norm, aten::linalg_norm.ord_str,
aten::norm.Scalar, aten::norm.ScalarOpt_dim, aten::norm.ScalarOpt_dim_dtype,
aten::norm.ScalarOpt_dtype, aten::renorm, aten::linalg_vector_norm
    out exact
