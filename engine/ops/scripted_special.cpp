// Rows in the language: special functions (torch.special), parts of floats, differences, and sums
// to a smaller size.
//
// They compute in doubles and round once. Inverses of erf and erfc start from a closed form and
// take Halley's steps, which triple the digits; psi and the zeta function shift their argument to
// 10 and more, where few terms of Euler-Maclaurin's series suffice; Bessel functions are their
// power series up to 20 and the asymptotic series beyond (Abramowitz and
// Stegun, 6.3, 6.4, 7.1, 9.6, 9.7, 23.2). Not here: the incomplete gamma functions.
#include "engine/ops/composite.h"

namespace fusillade {
namespace {

constexpr std::string_view kText = R"py(
aten::positive(Tensor(a) self) -> Tensor(a)
    if self.dtype == torch.bool:
        raise RuntimeError("positive takes tensors of numbers, not of bools")
    return self

aten::Size(int[] sizes) -> int[]
    return sizes.copy()

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

prim::of_double(Tensor self, Tensor made) -> Tensor
    return torch.ops.prim.rounded_as(made, torch.ops.prim.floating(self))

prim::of_series(Tensor self, Tensor made) -> Tensor
    return torch.ops.prim.summed_as(made, torch.ops.prim.floating(self))

prim::frexp_parts(Tensor self) -> (Tensor, Tensor)
    x = self.to(torch.float64)
    tiny = x.abs() < 2.2250738585072014e-308
    size = torch.where(tiny, x * 1.8446744073709552e19, x).abs()
    fine = torch.isfinite(x) & (x != 0)
    e = (torch.log2(torch.where(fine, size, torch.ones_like(size))).floor() + 1).to(torch.int64)
    half = torch.div(e, 2, rounding_mode="floor")
    m = size * torch.pow(2.0, -half.to(torch.float64)) * torch.pow(2.0, (half - e).to(torch.float64))
    e = e + (m >= 1).to(torch.int64) - (m < 0.5).to(torch.int64)
    m = torch.where(m >= 1, m / 2, torch.where(m < 0.5, m * 2, m))
    e = torch.where(tiny, e - 64, e)
    return torch.where(fine, torch.copysign(m, x), x), torch.where(fine, e, torch.zeros_like(e))

aten::frexp.Tensor(Tensor self) -> (Tensor mantissa, Tensor exponent)
    if not self.is_floating_point():
        raise RuntimeError("frexp takes tensors of floats")
    m, e = torch.ops.prim.frexp_parts(self)
    return m.to(self.dtype), e.to(torch.int32)

aten::nextafter(Tensor self, Tensor other) -> Tensor  # twin
    kind = torch.result_type(self, other)
    if not torch.zeros([0], dtype=kind).is_floating_point():
        raise RuntimeError("nextafter takes tensors of floats")
    digits = 53 if kind == torch.float64 else (24 if kind == torch.float32 else (11 if kind == torch.float16 else 8))
    x, to = self.to(kind).to(torch.float64), other.to(kind).to(torch.float64)
    m, e = torch.ops.prim.frexp_parts(x)
    lowest = -1021 if kind == torch.float64 else (-13 if kind == torch.float16 else -125)
    away = (to > x) == (x >= 0)
    finer = (m.abs() == 0.5) & ~away & (e > lowest)
    exponent = e.masked_fill(x == 0, lowest).clamp_min(lowest) - digits - finer.to(torch.int64)
    step = torch.pow(2.0, torch.div(exponent, 2, rounding_mode="floor").to(torch.float64))
    step = step * torch.pow(2.0, (exponent - torch.div(exponent, 2, rounding_mode="floor")).to(torch.float64))
    moved = torch.where(to > x, x + step, x - step)
    moved = torch.where((moved == 0) & (x != 0), torch.copysign(moved, x), moved)
    largest = 1.7976931348623157e308 if kind == torch.float64 else (3.4028234663852886e38 if kind == torch.float32 else (65504.0 if kind == torch.float16 else 3.3895313892515355e38))
    moved = torch.where(torch.isinf(x), torch.copysign(torch.full_like(x, largest), x), moved)
    return torch.where(x == to, to, torch.where((x != x) | (to != to), x + to, moved)).to(kind)

prim::gradient_dims(Tensor self, int[] dims, int edge_order) -> int[]
    if self.dtype == torch.uint8:
        raise RuntimeError("gradient takes no uint8")
    if edge_order < 1 or edge_order > 2:
        raise RuntimeError("gradient takes an edge_order of 1 or 2")
    out = [torch.ops.prim.named_dim(self, d, "gradient") for d in dims]
    for i in range(len(out)):
        if out[i] in out[:i] or self.shape[out[i]] <= edge_order:
            raise RuntimeError("gradient takes each dim once, with one element more along it than edge_order")
    return out

prim::gradient_along(Tensor self, Scalar spacing, int dim, int edge_order) -> Tensor
    n = self.shape[dim]
    first, second = self.narrow(dim, 0, 1), self.narrow(dim, 1, 1)
    last, before = self.narrow(dim, n - 1, 1), self.narrow(dim, n - 2, 1)
    inner = (self.narrow(dim, 2, n - 2) - self.narrow(dim, 0, n - 2)) / (2.0 * float(spacing))
    if edge_order == 1:
        return torch.cat([(second - first) / float(spacing), inner, (last - before) / float(spacing)], dim)
    head = (first * -1.5 + second * 2.0 - self.narrow(dim, 2, 1) * 0.5) / float(spacing)
    tail = (last * 1.5 - before * 2.0 + self.narrow(dim, n - 3, 1) * 0.5) / float(spacing)
    return torch.cat([head, inner, tail], dim)

prim::gradient_between(Tensor self, Tensor at, int dim, int edge_order) -> Tensor
    n = self.shape[dim]
    if at.dim() != 1 or at.shape[0] != n:
        raise RuntimeError("gradient takes a place for each element along the dim")
    if at.dtype == torch.bool:
        raise RuntimeError("gradient takes places that are numbers")
    x = self.transpose(dim, -1)
    places = at if at.is_floating_point() else at.to(torch.int64)
    steps = places.narrow(0, 1, n - 1) - places.narrow(0, 0, n - 1)
    d, e = steps.narrow(0, 0, n - 2), steps.narrow(0, 1, n - 2)
    first, middle, last = x.narrow(-1, 0, n - 2), x.narrow(-1, 1, n - 2), x.narrow(-1, 2, n - 2)
    inner = first * (-e / (d * (d + e))) + middle * ((e - d) / (d * e)) + last * (d / (e * (d + e)))
    if edge_order == 1:
        ends = (x.narrow(-1, 1, n - 1) - x.narrow(-1, 0, n - 1)) / steps
        return torch.cat([ends.narrow(-1, 0, 1), inner, ends.narrow(-1, n - 2, 1)], -1).transpose(dim, -1)
    heads = first * (-(2 * d + e) / (d * (d + e))) + middle * ((d + e) / (d * e)) + last * (-d / (e * (d + e)))
    tails = first * (e / (d * (d + e))) + middle * (-(d + e) / (d * e)) + last * ((2 * e + d) / (e * (d + e)))
    return torch.cat([heads.narrow(-1, 0, 1), inner, tails.narrow(-1, n - 3, 1)], -1).transpose(dim, -1)

aten::gradient.tensorarrayint(Tensor self, *, Tensor[] spacing, int? dim=None, int edge_order=1) -> Tensor[]
    dims = [i for i in range(self.dim())] if dim is None else [dim]
    return torch.gradient(self, spacing=spacing, dim=dims, edge_order=edge_order)

aten::gradient.tensorarray(Tensor self, *, Tensor[] spacing, int[] dim, int edge_order=1) -> Tensor[]
    if len(spacing) != len(dim):
        raise RuntimeError("gradient takes places for each dim")
    dims = torch.ops.prim.gradient_dims(self, dim, edge_order)
    return [torch.ops.prim.gradient_between(self, spacing[i], dims[i], edge_order) for i in range(len(dims))]

aten::gradient.scalarint(Tensor self, *, Scalar? spacing=None, int? dim=None, int edge_order=1) -> Tensor[]
    step = 1.0 if spacing is None else float(spacing)
    dims = [i for i in range(self.dim())] if dim is None else [dim]
    return torch.gradient(self, spacing=step, dim=dims, edge_order=edge_order)

aten::gradient.scalararray(Tensor self, *, Scalar spacing, int[] dim, int edge_order=1) -> Tensor[]
    dims = torch.ops.prim.gradient_dims(self, dim, edge_order)
    return [torch.ops.prim.gradient_along(self, spacing, d, edge_order) for d in dims]

aten::gradient.array(Tensor self, *, int[] dim, int edge_order=1) -> Tensor[]
    return torch.gradient(self, spacing=1.0, dim=dim, edge_order=edge_order)

aten::index_reduce(Tensor self, int dim, Tensor index, Tensor source, str reduce, *, bool include_self=True) -> Tensor  # twin
    if reduce != "prod" and reduce != "mean" and reduce != "amax" and reduce != "amin":
        raise RuntimeError("index_reduce: reduce is prod, mean, amax or amin")
    if index.dim() > 1 or source.dim() != self.dim() or index.numel() != (source.shape[dim] if self.dim() > 0 else 1):
        raise RuntimeError("index_reduce takes one place for each slice of the source")
    if self.dim() == 0:
        return torch.scatter_reduce(self, 0, index.reshape([]), source, reduce, include_self=include_self)
    shape = [1] * self.dim()
    shape[dim] = index.numel()
    return torch.scatter_reduce(self, dim, index.reshape(shape).expand(source.shape), source, reduce, include_self=include_self)

aten::special_ndtr(Tensor self) -> Tensor
    return torch.ops.prim.of_double(self, torch.erfc(self.to(torch.float64) * -0.7071067811865476) * 0.5)

aten::special_erfcx(Tensor self) -> Tensor
    x = self.to(torch.float64)
    size = x.abs()
    square = size * size
    term = torch.ones_like(x)
    far = torch.ones_like(x)
    for k in range(12):
        term = term * (-(2 * k + 1) / 2.0) / square
        far = far + term
    far = far / (size * 1.7724538509055159)
    above = torch.where(size > 10, far, torch.exp(square) * torch.erfc(size))
    return torch.ops.prim.of_double(self, torch.where(x < 0, 2 * torch.exp(square) - above, above))

aten::special_log_ndtr(Tensor self) -> Tensor
    t = self.to(torch.float64) * 0.7071067811865476
    low = torch.log(torch.special.erfcx(-t) / 2) - t * t
    found = torch.where(t < -0.7, low, torch.log1p(-torch.erfc(t) / 2))
    return torch.ops.prim.of_double(self, torch.where(torch.isinf(t) & (t < 0), t, found))

aten::special_entr(Tensor self) -> Tensor
    x = torch.ops.prim.floating(self)
    low = torch.where(x == 0, torch.zeros_like(x), torch.full_like(x, -float("inf")))
    return torch.where(x <= 0, low, -x * torch.log(x))

aten::special_xlog1py(Tensor self, Tensor other) -> Tensor
    kind = torch.ops.prim.floating(self + other).dtype
    product = self.to(kind) * torch.log1p(other.to(kind))
    return torch.where(other != other, other.to(product.dtype), torch.where(self == 0, torch.zeros_like(product), product))

aten::special_xlog1py.other_scalar(Tensor self, Scalar other) -> Tensor
    return torch.special.xlog1py(self, torch.full([], float(other), dtype=torch.ops.prim.floating(self).dtype))

aten::special_xlog1py.self_scalar(Scalar self, Tensor other) -> Tensor
    return torch.special.xlog1py(torch.full([], float(self), dtype=torch.ops.prim.floating(other).dtype), other)

aten::digamma(Tensor self) -> Tensor  # twin
    x = self.to(torch.float64)
    low = x < 0.5
    t = torch.where(low, 1 - x, x)
    shift = torch.zeros_like(t)
    for i in range(10):
        small = t < 10
        shift = torch.where(small, shift + 1 / t, shift)
        t = torch.where(small, t + 1, t)
    r = 1 / (t * t)
    series = r * (1 / 12 - r * (1 / 120 - r * (1 / 252 - r * (1 / 240 - r * (1 / 132 - r * (691 / 32760 - r / 12))))))
    found = torch.log(t) - 0.5 / t - series - shift
    found = torch.where(low, found - 3.141592653589793 / torch.tan((x - x.round()) * 3.141592653589793), found)
    pole = torch.where(x == 0, torch.copysign(torch.full_like(x, float("inf")), -x), torch.full_like(x, float("nan")))
    return torch.ops.prim.of_double(self, torch.where((x <= 0) & (x == x.floor()), pole, found))

prim::hurwitz(Tensor s, Tensor q) -> Tensor
    p = s.to(torch.float64)
    whole = torch.where(p == p, q.to(torch.float64), q.to(torch.float64))
    pole = (p == 1) | (((p > 1) | (p != p)) & (whole <= 0) & (whole == whole.floor()))
    a = whole.masked_fill(pole, 1.0)
    legal = (p > 1) & ((a > 0) | (p == p.floor()))
    if bool((a < -10000).any()):
        raise RuntimeError("the zeta function takes no q below -10000")
    out = torch.zeros_like(a)
    far = 10 + p.clamp(max=100)
    while bool((legal & (a < far)).any()):
        out = torch.where(a < far, out + a.pow(-p), out)
        a = torch.where(a < far, a + 1, a)
    last = a.pow(-p)
    out = out + last * a / (p - 1) + last / 2
    factor = last * p / a
    parts = [
        1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000, 1 / 74724249600, -3617 / 1.067062284288e16,
        43867 / 5.109094217170944e18, -174611 / 8.028576626982912e20, 77683 / 1.4101100039391805e22, -236364091 / 1.6938241367317436e27,
    ]
    for j in range(len(parts)):
        out = out + factor * parts[j]
        factor = factor * (p + (2 * j + 1)) * (p + (2 * j + 2)) / (a * a)
    out = torch.where(torch.isinf(a) & (a > 0), torch.zeros_like(out), out)
    out = torch.where(legal, out, torch.full_like(out, float("nan")))
    return torch.empty_like(whole).copy_(out.masked_fill(pole, float("inf")))

aten::special_zeta(Tensor self, Tensor other) -> Tensor
    return torch.ops.prim.of_double(self * other, torch.ops.prim.hurwitz(self, other))

aten::special_zeta.other_scalar(Tensor self, Scalar other) -> Tensor
    return torch.special.zeta(self, torch.full([], float(other), dtype=torch.ops.prim.floating(self).dtype))

aten::special_zeta.self_scalar(Scalar self, Tensor other) -> Tensor
    return torch.special.zeta(torch.full([], float(self), dtype=torch.ops.prim.floating(other).dtype), other)

aten::polygamma(int n, Tensor self) -> Tensor
    if n < 0:
        raise RuntimeError("polygamma takes an order of at least 0")
    if n == 0:
        return torch.digamma(self)
    x = self.to(torch.float64)
    if n == 1:
        low = x < 0.5
        sine = 3.141592653589793 / torch.sin(torch.ops.prim.wide(self) * 3.141592653589793).to(torch.float64)
        found = torch.ops.prim.hurwitz(torch.full([], 2.0), torch.where(low, 1 - x, x))
        return torch.ops.prim.of_double(self, torch.where(low, sine * sine - found, found))
    size = math.gamma(float(n + 1)) * (1.0 if n % 2 == 1 else -1.0)
    return torch.ops.prim.of_double(self, torch.ops.prim.hurwitz(torch.full([], n + 1.0), x) * size)

aten::polygamma_(Tensor(a!) self, int n) -> Tensor(a!)
    return torch.ops.prim.written(self, torch.polygamma(n, self), "polygamma_")

aten::mvlgamma(Tensor self, int p) -> Tensor
    if p < 1 or self.dtype == torch.bool:
        raise RuntimeError("mvlgamma takes p of at least 1, and numbers")
    x = torch.ops.prim.floating(self)
    out = torch.full_like(x, p * (p - 1) / 4 * 1.1447298858494002)
    for i in range(p):
        out = out + torch.lgamma(x - i / 2)
    return out

prim::bessel_scaled(Tensor self, int order) -> Tensor
    x = self.abs()
    term = torch.ones_like(x) if order == 0 else x / 2
    near = term
    for k in range(1, 60):
        term = term * (x * x / 4) / (k * (k + order))
        near = near + term
    term = torch.ones_like(x)
    far = term
    for k in range(1, 41):
        term = term * ((2 * k - 1) ** 2 - 4 * order) / (8.0 * k * x)
        far = far + term
    return torch.where(x <= 20, near * torch.exp(-x), far / torch.sqrt(x * 6.283185307179586))

aten::i0(Tensor self) -> Tensor  # twin
    x = self.to(torch.float64)
    return torch.ops.prim.of_series(self, torch.ops.prim.bessel_scaled(x, 0) * torch.exp(x.abs()))

aten::special_i0e(Tensor self) -> Tensor
    return torch.ops.prim.of_series(self, torch.ops.prim.bessel_scaled(self.to(torch.float64), 0))

aten::special_i1(Tensor self) -> Tensor
    x = self.to(torch.float64)
    return torch.ops.prim.of_series(self, torch.copysign(torch.ops.prim.bessel_scaled(x, 1) * torch.exp(x.abs()), x))

aten::special_i1e(Tensor self) -> Tensor
    x = self.to(torch.float64)
    return torch.ops.prim.of_series(self, torch.copysign(torch.ops.prim.bessel_scaled(x, 1), x))

aten::linalg_diagonal(Tensor(a) A, *, int offset=0, int dim1=-2, int dim2=-1) -> Tensor(a)
    return A.diagonal(offset, dim1, dim2)

prim::attention_scores(Tensor scores, Tensor? attn_mask, bool is_causal) -> Tensor
    if is_causal:
        if attn_mask is not None:
            raise RuntimeError("attention is causal or takes a mask, not both")
        seen = torch.ones([scores.shape[-2], scores.shape[-1]], dtype=torch.bool).tril()
        return scores.masked_fill(~seen, -float("inf"))
    if attn_mask is None:
        return scores
    if attn_mask.dtype == torch.bool:
        return scores.masked_fill(~attn_mask, -float("inf"))
    return scores + attn_mask

aten::_scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0., bool need_attn_weights=False, bool is_causal=False) -> (Tensor, Tensor)  # random if dropout_p > 0 and dropout_p < 1
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(float(query.shape[-1]))
    weights = torch.softmax(torch.ops.prim.attention_scores(scores, attn_mask, is_causal), -1)
    kept = torch.ops.aten.dropout(weights, dropout_p, True) if dropout_p > 0.0 else weights
    return torch.matmul(kept, value), kept
)py";

[[maybe_unused]] const bool kRegistered = [] {
  add_scripted(kText, "scripted_special");
  return true;
}();

}  // namespace
}  // namespace fusillade
