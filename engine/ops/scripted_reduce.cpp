// Rows in the language: statistics, running extremes, ranks, counts.
//
// Not a number ranks above all numbers, as sort has it. Where several places hold the same value,
// indices may differ from PyTorch's, which promises none.
#include "engine/ops/composite.h"

namespace fusillade {
namespace {

constexpr std::string_view kText = R"py(
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

aten::var_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor)
    return self.var(dim, unbiased, keepdim), self.mean(dim, keepdim)

aten::var_mean.correction(Tensor self, int[1]? dim, *, int? correction, bool keepdim=False) -> (Tensor, Tensor)
    return self.var(dim, correction=correction, keepdim=keepdim), self.mean(dim, keepdim)

aten::std_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)
    return self.std(unbiased), self.mean()

aten::std_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor)
    return self.std(dim, unbiased, keepdim), self.mean(dim, keepdim)

aten::std_mean.correction(Tensor self, int[1]? dim, *, int? correction, bool keepdim=False) -> (Tensor, Tensor)
    return self.std(dim, correction=correction, keepdim=keepdim), self.mean(dim, keepdim)

aten::nansum(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor
    return self.masked_fill(self != self, 0).sum(dim, keepdim, dtype=dtype)

aten::nanmean(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor
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

aten::isclose(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False) -> Tensor
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
    apart = (self - other).abs()
    return close | torch.isfinite(apart) & (apart <= atol + (rtol * other).abs())

aten::allclose(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False) -> bool
    return bool(torch.isclose(self, other, rtol, atol, equal_nan).all())

aten::is_nonzero(Tensor self) -> bool
    if self.numel() != 1:
        raise RuntimeError("whether a tensor is true is clear for one element only")
    return bool((self != 0).all())

aten::median.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)
    size = self.shape[dim] if self.dim() > 0 else 1
    if size == 0:
        raise IndexError("median along a dim of no items")
    values, places = self.sort(dim)
    if self.dim() == 0:
        return values, places
    middle = torch.full_like(places.narrow(dim, 0, 1), (size - 1) // 2)
    if self.is_floating_point():
        odd = values != values
        middle = torch.where(odd.any(dim, True), odd.to(torch.uint8).argmax(dim, True), middle)
    values, places = values.gather(dim, middle), places.gather(dim, middle)
    return (values, places) if keepdim else (values.squeeze(dim), places.squeeze(dim))

aten::median(Tensor self) -> Tensor
    if self.numel() == 0:
        return torch.full([], float("nan")).to(self.dtype)
    return self.flatten().median(0)[0]

aten::nanmedian.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)
    size = self.shape[dim] if self.dim() > 0 else 1
    if size == 0:
        raise IndexError("nanmedian along a dim of no items")
    values, places = self.sort(dim)
    if self.dim() == 0:
        return values, places
    numbers = (values == values).sum([dim], True)
    middle = torch.floor_divide((numbers - 1).clamp_min(0), 2)
    values, places = values.gather(dim, middle), places.gather(dim, middle)
    return (values, places) if keepdim else (values.squeeze(dim), places.squeeze(dim))

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
    values, places = self.sort(stable=True, dim=dim, descending=False)
    line = values.transpose(dim, -1)
    counts = (line.unsqueeze(-1) == line.unsqueeze(-2)).sum([-1])
    top = counts.argmax(-1, True)
    last = top + (counts.gather(-1, top) - 1).clamp_min(0)
    value, place = line.gather(-1, last), places.transpose(dim, -1).gather(-1, last)
    value, place = value.transpose(dim, -1), place.transpose(dim, -1)
    shape: List[int] = value.shape if keepdim else value.squeeze(dim).shape
    return value.reshape([-1]).reshape(shape), place.reshape([-1]).reshape(shape)

prim::interpolated(Tensor self, Tensor q, int? dim, bool keepdim, str interpolation, bool skip) -> Tensor
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
    last = ((~odd).sum([-1], True) - 1).clamp_min(0) if skip else torch.full_like(odd.sum([-1], True), ordered.shape[-1] - 1)
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
        share = torch.full_like(ranks, 0.5) if interpolation == "midpoint" else ranks - ranks.floor()
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

aten::quantile(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation="linear") -> Tensor
    return torch.ops.prim.interpolated(self, q, dim, keepdim, interpolation, False)

aten::quantile.scalar(Tensor self, float q, int? dim=None, bool keepdim=False, *, str interpolation="linear") -> Tensor
    return torch.ops.prim.interpolated(self, torch.full([], q, dtype=self.dtype), dim, keepdim, interpolation, False)

aten::nanquantile(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation="linear") -> Tensor
    return torch.ops.prim.interpolated(self, q, dim, keepdim, interpolation, True)

aten::nanquantile.scalar(Tensor self, float q, int? dim=None, bool keepdim=False, *, str interpolation="linear") -> Tensor
    return torch.ops.prim.interpolated(self, torch.full([], q, dtype=self.dtype), dim, keepdim, interpolation, True)

prim::running_extreme(Tensor self, int dim, bool largest) -> (Tensor, Tensor)
    if self.dim() == 0 or self.numel() == 0:
        return self.clone(), torch.zeros_like(self, dtype=torch.int64)
    values: List[Tensor] = [self.select(dim, 0)]
    places: List[Tensor] = [torch.zeros_like(values[0], dtype=torch.int64)]
    for i in range(1, self.shape[dim]):
        item, best = self.select(dim, i), values[-1]
        newer = (item != item) | ((item >= best) if largest else (item <= best)) & (best == best)
        values.append(torch.where(newer, item, best))
        places.append(torch.where(newer, torch.full_like(places[-1], i), places[-1]))
    return torch.stack(values, dim), torch.stack(places, dim)

aten::cummax(Tensor self, int dim) -> (Tensor values, Tensor indices)
    return torch.ops.prim.running_extreme(self, dim, True)

aten::cummin(Tensor self, int dim) -> (Tensor values, Tensor indices)
    return torch.ops.prim.running_extreme(self, dim, False)

aten::cumprod_(Tensor(a!) self, int dim, *, ScalarType? dtype=None) -> Tensor(a!)
    if dtype is not None and dtype != self.dtype:
        raise RuntimeError("cumprod_ takes the tensor's own dtype")
    return torch.ops.prim.written(self, self.cumprod(dim, dtype=dtype), "cumprod_")

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

aten::cumsum_(Tensor(a!) self, int dim, *, ScalarType? dtype=None) -> Tensor(a!)
    if dtype is not None and dtype != self.dtype:
        raise RuntimeError("cumsum_ takes the tensor's own dtype")
    return torch.ops.prim.written(self, self.cumsum(dim, dtype=dtype), "cumsum_")

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

aten::histc(Tensor self, int bins=100, Scalar min=0, Scalar max=0) -> Tensor
    if not self.is_floating_point() or bins < 1:
        raise RuntimeError("histc takes a tensor of floats and one bin or more")
    low, high = float(min), float(max)
    if low == high and self.numel() > 0:
        low, high = float(self.min()), float(self.max())
    if low == high:
        low, high = low - 1.0, high + 1.0
    if not (low < high and high - low < float("inf")):
        raise RuntimeError("histc takes finite bounds, the smaller one first")
    x = self.flatten()
    inside = (x >= low) & (x <= high)
    place = ((x - low) / (high - low) * bins).masked_fill(~inside, 0).to(torch.int64).clamp(0, bins - 1)
    return self.new_zeros([bins]).scatter_add(0, place, inside.to(self.dtype))

aten::bincount(Tensor self, Tensor? weights=None, int minlength=0) -> Tensor  # values
    if self.dim() != 1 or self.is_floating_point() or self.dtype == torch.bool or minlength < 0:
        raise RuntimeError("bincount takes a vector of integers and a minlength of at least 0")
    if self.numel() == 0:
        return torch.zeros([minlength], dtype=torch.int64)
    if int(self.min()) < 0:
        raise RuntimeError("bincount takes no negative integers")
    count = max(minlength, int(self.max()) + 1)
    places = self.to(torch.int64)
    if weights is None:
        return torch.zeros([count], dtype=torch.int64).scatter_add(0, places, torch.ones_like(places)).to(torch.int64)
    if weights.shape != self.shape:
        raise RuntimeError("bincount takes as many weights as integers")
    each = weights if weights.dtype == torch.float32 else weights.to(torch.float64)
    return torch.zeros([count], dtype=each.dtype).scatter_add(0, places, each).to(each.dtype)

prim::stands_beside(Tensor self, Tensor? other, int dim) -> Tensor
    if other is not None:
        if other.dim() != self.dim():
            raise RuntimeError("diff prepends and appends tensors of as many dims")
        for i in range(self.dim()):
            if i != dim % self.dim() and other.shape[i] != self.shape[i]:
                raise RuntimeError("diff prepends and appends tensors of the same sizes, but along the dim")
    return self

aten::diff(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None) -> Tensor
    if self.dim() < 1:
        raise RuntimeError("diff takes a tensor of one or more dims")
    torch.ops.prim.stands_beside(torch.ops.prim.stands_beside(self, prepend, dim), append, dim)
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

prim::summed_nothing(Tensor y, int dim) -> Tensor
    return y.new_zeros([y.shape[i] for i in range(y.dim()) if i != dim % y.dim()])

aten::trapezoid.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor
    size = y.shape[dim]
    if size == 0:
        return torch.ops.prim.summed_nothing(y, dim)
    torch.ops.prim.no_bools(x, "trapezoid")
    torch.ops.prim.no_bools(y, "trapezoid")
    wide = (x.diff(1, 0) if x.dim() == 1 else x.diff(1, dim))
    if x.dim() == 1 and y.dim() > 1:
        shape = [1] * y.dim()
        shape[dim] = size - 1
        wide = wide.reshape(shape)
    return ((y.narrow(dim, 0, size - 1) + y.narrow(dim, 1, size - 1)) * wide).sum([dim]) / 2.0

aten::trapezoid.dx(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor
    size = y.shape[dim]
    if size == 0:
        return torch.ops.prim.summed_nothing(y, dim)
    torch.ops.prim.no_bools(y, "trapezoid")
    return (y.sum([dim]) - (y.select(dim, 0) + y.select(dim, -1)) * 0.5) * float(dx)

aten::trapz.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor
    return torch.trapezoid(y, x, dim=dim)

aten::trapz.dx(Tensor y, *, float dx=1., int dim=-1) -> Tensor
    return torch.trapezoid(y, dx=dx, dim=dim)

aten::cumulative_trapezoid.dx(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor
    torch.ops.prim.no_bools(y, "cumulative_trapezoid")
    size = y.shape[dim]
    return ((y.narrow(dim, 1, size - 1) + y.narrow(dim, 0, size - 1)) * (float(dx) / 2.0)).cumsum(dim)

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

aten::cov(Tensor self, *, int correction=1, Tensor? fweights=None, Tensor? aweights=None) -> Tensor
    if self.dim() > 2 or self.dtype == torch.bool:
        raise RuntimeError("cov takes numbers in at most two dims")
    x = self.reshape([1, -1]) if self.dim() < 2 else self
    if fweights is not None:
        if fweights.is_floating_point() or fweights.dtype == torch.bool or fweights.dim() > 1 or fweights.numel() != x.shape[1]:
            raise RuntimeError("cov takes for fweights an integer for each observation")
    if aweights is not None:
        if not aweights.is_floating_point() or aweights.dim() > 1 or aweights.numel() != x.shape[1]:
            raise RuntimeError("cov takes for aweights a float for each observation")
    if fweights is None and aweights is None:
        apart = x - x.sum([1], True) / x.shape[1]
        count = max(x.shape[1] - correction, 0)
        out = apart.matmul(apart.t()) / count
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
    apart = x - (x * share).sum([1], True) / total
    lost = total * 0 + correction if aweights is None else correction * ((share * aweights).sum() / total)
    return (apart.matmul((apart * share).t().to(apart.dtype)) / (total - lost).clamp_min(0)).squeeze()

aten::corrcoef(Tensor self) -> Tensor
    c = torch.cov(self)
    if c.dim() == 0:
        return c / c
    spread = c.diagonal().sqrt()
    return (c / spread.unsqueeze(1) / spread.unsqueeze(0)).clamp(-1.0, 1.0)

aten::renorm(Tensor self, Scalar p, int dim, Scalar maxnorm) -> Tensor  # twin
    if float(p) <= 0.0 or float(maxnorm) < 0.0 or self.dim() < 2:
        raise RuntimeError("renorm takes a tensor of two or more dims, a positive p and a maxnorm of at least 0")
    others = [i for i in range(self.dim()) if i != torch.ops.prim.named_dim(self, dim, "renorm")]
    length = self.norm(p, others, True)
    share = torch.where(length > float(maxnorm), float(maxnorm) / (length + 1e-7), torch.ones_like(length))
    return self * share

prim::norm_operand(Tensor self, ScalarType dtype) -> Tensor
    x = self.to(dtype)
    if not x.is_floating_point():
        raise RuntimeError("norm takes a dtype of floats")
    return x

aten::norm.ScalarOpt_dtype(Tensor self, Scalar? p, *, ScalarType dtype) -> Tensor
    return torch.ops.prim.norm_operand(self, dtype).norm(p, [i for i in range(self.dim())])

aten::norm.ScalarOpt_dim_dtype(Tensor self, Scalar? p, int[1] dim, bool keepdim, *, ScalarType dtype) -> Tensor
    return torch.ops.prim.norm_operand(self, dtype).norm(p, dim, keepdim)

aten::norm.out(Tensor self, Scalar? p, int[1] dim, bool keepdim=False, *, Tensor(a!) out) -> Tensor(a!)
    return torch.ops.prim.written(out, self.norm(p, dim, keepdim), "norm")

aten::norm.dtype_out(Tensor self, Scalar? p, int[1] dim, bool keepdim, *, ScalarType dtype, Tensor(a!) out) -> Tensor(a!)
    if out.dtype != dtype:
        raise RuntimeError("norm: out is of the dtype that is asked for")
    return torch.ops.prim.written(out, torch.norm(self, p, dim, keepdim, dtype=dtype), "norm")

aten::frobenius_norm(Tensor self) -> Tensor
    return self.norm(2, [i for i in range(self.dim())])

aten::frobenius_norm.dim(Tensor self, int[1] dim, bool keepdim=False) -> Tensor
    if len(dim) > 2:
        raise RuntimeError("frobenius_norm takes at most two dims")
    return self.norm(2, torch.ops.prim.whole_dims(self, dim), keepdim)

aten::frobenius_norm.out(Tensor self, int[1] dim, bool keepdim=False, *, Tensor(a!) out) -> Tensor(a!)
    return torch.ops.prim.written(out, torch.frobenius_norm(self, dim, keepdim), "frobenius_norm")

prim::widened(Tensor self, ScalarType? dtype) -> Tensor
    if not self.is_floating_point():
        raise RuntimeError("a norm takes a tensor of floats")
    if dtype is None:
        return self
    if torch.promote_types(self.dtype, dtype) != dtype:
        raise RuntimeError("a norm takes a dtype that holds the tensor's")
    return self.to(dtype)

aten::linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor
    whole = self.dtype == torch.float32 or self.dtype == torch.float64
    if whole and dtype is None and dim is not None and len(dim) > 0:
        return self.norm(ord, dim, keepdim)
    x = torch.ops.prim.widened(self, dtype)
    return torch.ops.prim.wide(x).norm(ord, torch.ops.prim.whole_dims(x, dim), keepdim).to(x.dtype)

aten::linalg_norm(Tensor self, Scalar? ord=None, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor
    x = torch.ops.prim.widened(self, dtype)
    if ord is None:
        return torch.linalg_vector_norm(x, 2, torch.ops.prim.whole_dims(x, dim), keepdim)
    whole = torch.ops.prim.whole_dims(x, dim)
    if len(whole) == 1:
        return torch.linalg_vector_norm(x, ord, whole, keepdim)
    if len(whole) != 2:
        raise RuntimeError("linalg_norm with an order is of vectors and of matrices")
    return torch.ops.aten.linalg_matrix_norm(x, ord, whole, keepdim)

aten::linalg_norm.ord_str(Tensor self, str ord, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor
    x = self if dtype is None else self.to(dtype)
    whole = torch.ops.prim.whole_dims(x, dim)
    if len(whole) != 2:
        raise RuntimeError("linalg_norm takes the orders 'fro' and 'nuc' of matrices")
    return torch.ops.aten.linalg_matrix_norm(x, ord, whole, keepdim)
)py";

[[maybe_unused]] const bool kRegistered = [] {
  add_scripted(kText, "scripted_reduce");
  return true;
}();

}  // namespace
}  // namespace fusillade
