"""ATen's ops of order, of indices and of matrices in MLX, and what is built on them: windows,
norms, losses, cells."""

import math
from functools import partial

import mlx.core as mx
from aten import HALVES, kind, need, several, wide, wrap_dim
from aten_shapes import slice_dim
from aten_tables import (
    add_layers,
    add_losses,
    add_matrices,
    add_order,
    add_product,
    affine,
    index,
    lines,
    of_dtype,
    one_hot,
)
from aten_tables import group_norm as plain_group_norm
from aten_tables import layer_norm as plain_layer_norm
from aten_tables import lstm_cell as plain_lstm_cell
from mlx_arrays import (
    MLX,
    OPS,
    cast,
    check,
    dtype_of,
    in_32_bits,
    is_tensor,
    no_doubles,
    number,
    op,
    to,
    total,
    where,
    zero,
)
from mlx_shapes import flip

INF = math.inf
product = MLX.product


def sort_indices(x, dim, descending):
    """Indices of a stable sort, NaN the greatest."""
    if not x.ndim or not x.size:
        return mx.zeros(x.shape, mx.int64)
    if not descending:
        return cast(mx.argsort(x, axis=dim), "int64")
    at = cast(mx.argsort(flip(x, (dim,)), axis=dim), "int64")
    return flip(x.shape[dim] - 1 - at, (dim,))


@op("sort.default", "sort.stable")
def sort(x, dim=-1, descending=False, stable=None):
    at = sort_indices(x, dim, descending)
    if not x.ndim or not x.size:
        return x, at
    return mx.take_along_axis(x, at, dim) if descending else mx.sort(x, axis=dim), at


add_order(MLX, sort_indices)


def inside(at, n):
    """Indices, wrapped; those out of range are declined, and MLX does not see them."""
    need(n or not at.size, "an index out of range")
    at = cast(at, "int64")
    bad = (at < -n) | (at >= n)
    check(bad, "an index out of range")
    return where(bad, zero(at), where(at < 0, at + n, at))


def leading(x, at, dim=None):
    """As many of each dim but one as there are indices."""
    return x[tuple(slice(None) if d == dim else slice(0, n) for d, n in enumerate(at.shape))]


@op("gather.default")
def gather(x, dim, at, sparse_grad=False):
    if not x.ndim or not at.ndim:
        need(x.ndim == at.ndim, "0 dims")
        return x
    if not at.size:
        return mx.zeros(at.shape, x.dtype)
    dim = wrap_dim(dim, x.ndim)
    return mx.take_along_axis(leading(x, at, dim), inside(at, x.shape[dim]), dim)


@op("take_along_dim.default")
def take_along_dim(x, at, dim=None):
    if dim is None:
        return gather(x.reshape(-1), 0, at.reshape(-1))
    need(x.ndim == at.ndim and x.ndim, "other dims")
    dim = wrap_dim(dim, x.ndim)
    return mx.take_along_axis(x, inside(at, x.shape[dim]), dim)


def check_unique_indices(x, dim, at):
    """Elements written twice in no order are nobody's promise."""
    if at.ndim and at.size:
        ordered = mx.sort(at % max(x.shape[dim], 1), axis=dim)
        n = at.shape[dim]
        check(
            slice_dim(ordered, dim, 1, n) == slice_dim(ordered, dim, 0, n - 1),
            "a place written twice",
        )


@op("scatter.src", "scatter.value")
def scatter(x, dim, at, src=None, value=None):
    need(x.ndim and at.ndim, "0 dims")
    dim = wrap_dim(dim, x.ndim)
    given = (
        number(value, dtype_of(x))
        if src is None
        else to(leading(src, at) if is_tensor(src) else src, dtype_of(x))
    )
    at = inside(at, x.shape[dim])
    check_unique_indices(x, dim, at)
    need(all(n == m for d, (n, m) in enumerate(zip(x.shape, at.shape)) if d != dim), "a part")
    return mx.put_along_axis(x, at, mx.broadcast_to(given, at.shape), dim)


@op("scatter_add.default")
def scatter_add(x, dim, at, src):
    """Into no elements MLX has no updates of these shapes."""
    need(
        x.ndim and at.ndim and x.size and dtype_of(x) not in ("bool", *HALVES),
        "0 dims, no elements, bools, 16-bit floats",
    )
    dim = wrap_dim(dim, x.ndim)
    places = [
        mx.arange(n).reshape([n if d == e else 1 for e in range(at.ndim)])
        for d, n in enumerate(at.shape)
    ]
    places[dim] = inside(at, x.shape[dim])
    return x.at[tuple(places)].add(leading(src, at))


@op("index_select.default")
def index_select(x, dim, at):
    need(x.ndim, "0 dims")
    return mx.take(x, inside(at.reshape(-1), x.shape[dim]), axis=dim)


@op("index_add.default")
def index_add(x, dim, at, source, alpha=1):
    need(
        x.ndim and dtype_of(x) not in ("bool", *HALVES),
        "0 dims, bools, 16-bit floats",
    )
    return x.at[lines(x, dim, at, inside)].add(
        source if alpha == 1 else source * number(alpha, dtype_of(x))
    )


@op("index_copy.default")
def index_copy(x, dim, at, source):
    need(x.ndim, "0 dims")
    at = inside(at.reshape(-1), x.shape[dim])
    check_unique_indices(mx.zeros(x.shape[dim]), 0, at)
    copy = mx.array(x)
    copy[lines(x, dim, at, inside)] = source
    return copy


@op("index_fill.int_Scalar", "index_fill.int_Tensor")
def index_fill(x, dim, at, value):
    need(x.ndim, "0 dims")
    copy = mx.array(x)
    copy[lines(x, dim, at, inside)] = to(value, dtype_of(x))
    return copy


@op("embedding.default")
def embedding(weight, at, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
    n = weight.shape[0]
    need(n or not at.size, "an index out of range")
    at = cast(at, "int64")
    bad = (at < 0) | (at >= n)
    check(bad, "an index out of range")
    return weight[where(bad, zero(at), at)]


OPS["one_hot.default"] = partial(one_hot, MLX)


@op("take.default")
def take(x, at):
    return mx.take(x.reshape(-1), inside(at, x.size))


@op("index.Tensor")
def index_tensor(x, indices):
    return x[index(MLX, x, indices, inside)]


# ---- matrices


def trace(x):
    dtype = dtype_of(x)
    need(x.size, "no elements")
    return total(cast(mx.diagonal(x), "int64" if kind(dtype) < 2 else dtype), (0,))


def add_matmul(bias, a, b, beta=1, alpha=1):
    if a.ndim == b.ndim and beta != 0:
        return mx.addmm(bias, a, b, alpha=alpha, beta=beta)
    return add_product(MLX, mx.matmul)(bias, a, b, beta, alpha)


add_matrices(MLX, lambda x: total(x, (0,)))
op("addmm.default", "baddbmm.default", "addmv.default")(product(add_matmul))
OPS["inner.default"] = product(mx.inner)
OPS["trace.default"] = trace


@op("kron.default")
def kron(a, b):
    need(a.ndim and b.ndim and dtype_of(a) == dtype_of(b), "0 dims")
    return mx.kron(a, b)


def convolution(dims):
    """MLX has channels last."""
    last = [0, *range(2, dims + 2), 1]
    first = [0, dims + 1, *range(1, dims + 1)]
    function = {1: mx.conv1d, 2: mx.conv2d, 3: mx.conv3d}[dims]

    def run(x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
        single = x.ndim == dims + 1
        need(groups == 1 or dims < 3, "groups of three dims")
        need(x.size and weight.size, "no elements")
        no_doubles(dtype_of(x))
        x = x[None] if single else x
        dilation = several(dilation, dims)
        if isinstance(padding, str):
            wide_ = [(w - 1) * d for w, d in zip(weight.shape[2:], dilation)]
            pads = [(n // 2, n - n // 2) if padding == "same" else (0, 0) for n in wide_]
            x, padding = mx.pad(x, [(0, 0), (0, 0), *pads]), 0
        named = dict(
            zip(("stride", "padding", "dilation"), map(several, (stride, padding), [dims] * 2))
        )
        named = {k: tuple(v) for k, v in {**named, "dilation": dilation}.items()}
        named = {k: v[0] for k, v in named.items()} if dims == 1 else named
        out = mx.transpose(
            function(mx.transpose(x, last), mx.transpose(weight, last), groups=groups, **named),
            first,
        )
        out = out if bias is None else out + bias.reshape((-1,) + (1,) * dims)
        return out[0] if single else out

    return product(run)


for dims in (1, 2, 3):
    OPS[f"conv{dims}d.default"] = OPS[f"conv{dims}d.padding"] = convolution(dims)


def windows(x, dims, kernel, stride, padding, dilation, outside):
    """Every window of the last dims, as one more dim at the end: a view, as MLX's own layers
    have it."""
    before = x.ndim - dims
    x = mx.contiguous(
        mx.pad(
            x,
            [(0, 0)] * before + [(n, n) for n in padding],
            constant_values=number(outside, dtype_of(x)),
        )
    )
    counts = [
        (n - (k - 1) * d - 1) // s + 1
        for n, k, s, d in zip(x.shape[before:], kernel, stride, dilation)
    ]
    need(min(counts, default=1) > 0 and x.size, "no windows")
    steps = [math.prod(x.shape[d + 1 :]) for d in range(x.ndim)]
    inner = steps[before:]
    strides = steps[:before] + [a * s for a, s in zip(inner, stride)]
    strides += [a * d for a, d in zip(inner, dilation)]
    return mx.as_strided(x, [*x.shape[:before], *counts, *kernel], strides)


def pooling(dims, function, outside):
    def run(x, kernel_size, stride=(), padding=0, dilation=1, ceil_mode=False, **named):
        need(not ceil_mode and kind(dtype_of(x)) == 2, "windows that reach beyond the end")
        kernel = several(kernel_size, dims)
        stride = kernel if stride in ((), []) else several(stride, dims)
        y = cast(x, wide(dtype_of(x)))
        view = windows(
            y, dims, kernel, stride, several(padding, dims), several(dilation, dims), outside
        )
        out = function(view, axis=tuple(range(-dims, 0)))
        return cast(
            out if not named else out / number(named["by"](kernel), dtype_of(out)), dtype_of(x)
        )

    return run


def average(dims):
    sums = pooling(dims, mx.sum, 0)

    def run(
        x,
        kernel_size,
        stride=(),
        padding=0,
        ceil_mode=False,
        count_include_pad=True,
        divisor_override=None,
    ):
        def by(kernel):
            return divisor_override or math.prod(kernel)

        need(
            count_include_pad or not any(several(padding, dims)) or divisor_override is not None,
            "an average without the padding",
        )
        return sums(x, kernel_size, stride, padding, 1, ceil_mode, by=by)

    return run


for dims in (1, 2, 3):
    OPS[f"max_pool{dims}d.default"] = pooling(dims, mx.max, -INF)
    OPS[f"avg_pool{dims}d.default"] = average(dims)

# ---- norms, losses, recurrent cells


def softmax(x, dim):
    return mx.softmax(x, axis=dim)


def log_softmax(x, dim):
    away = x - mx.max(x, axis=dim, keepdims=True)
    return away - mx.logsumexp(away, axis=dim, keepdims=True)


for name, function in (("softmax.int", softmax), ("log_softmax.int", log_softmax)):
    OPS[name] = of_dtype(MLX, in_32_bits(function))


add_layers(MLX)


def is_fast(x, normalized_shape):
    return len(normalized_shape) == 1 and dtype_of(x) != "float64" and x.size


@op("layer_norm.default")
@MLX.in_wide
def layer_norm(x, normalized_shape, weight=None, bias=None, eps=1e-05, cudnn_enable=True):
    if is_fast(x, normalized_shape):
        return mx.fast.layer_norm(x, weight, bias, eps)
    return plain_layer_norm(MLX, x, normalized_shape, weight, bias, eps)


@op("group_norm.default")
@MLX.in_wide
def group_norm(x, *args, **named):
    need(x.size, "no elements")
    return plain_group_norm(MLX, x, *args, **named)


@op("rms_norm.default")
@MLX.in_wide
def rms_norm(x, normalized_shape, weight=None, eps=None):
    eps = mx.finfo(x.dtype).eps if eps is None else eps
    if is_fast(x, normalized_shape):
        return mx.fast.rms_norm(x, weight, eps)
    axis = tuple(range(x.ndim - len(normalized_shape), x.ndim))
    return affine(
        x * mx.rsqrt(MLX.mean_of(x * x, axis, True) + number(eps, dtype_of(x))), weight, None
    )


def reduce_loss(x, reduction):
    every = tuple(range(x.ndim))
    return x if reduction == 0 else MLX.mean_of(x, every) if reduction == 1 else total(x, every)


add_losses(MLX, lambda x, y: mx.square(x - y), reduce_loss)


@op("lstm_cell.default")
def lstm_cell(x, *args, **named):
    need(dtype_of(x) == "float32", "other floats")
    return plain_lstm_cell(MLX, x, *args, **named)


@op("scaled_dot_product_attention.default")
def attention(
    q, k, v, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False
):
    """MLX aligns a causal mask to the end, ATen to the start."""
    need(q.ndim == k.ndim == v.ndim == 4 and q.size and k.size and v.size, "other dims")
    need(dtype_of(q) == "float32" and k.dtype == q.dtype == v.dtype, "other dtypes")
    need(not dropout_p and not enable_gqa and k.shape[1] == q.shape[1] == v.shape[1], "groups")
    need(q.shape[0] == k.shape[0] == v.shape[0], "other batches")
    need(attn_mask is None or dtype_of(attn_mask) == "float32", "a mask of bools")
    if is_causal:
        need(attn_mask is None, "two masks")
        attn_mask = mx.tri(q.shape[2], k.shape[2], dtype=mx.float32) != 0
    if attn_mask is not None:
        attn_mask = mx.broadcast_to(attn_mask, (*q.shape[:3], k.shape[2]))
    scale = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    return mx.fast.scaled_dot_product_attention(q, k, v, scale=scale, mask=attn_mask)
