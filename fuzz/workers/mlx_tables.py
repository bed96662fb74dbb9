"""ATen's ops of order, of indices and of matrices in MLX, and what is built on them: windows,
norms, losses, cells."""

import math

import mlx.core as mx
from aten import HALVES, kind, need, several, wide, wrap_dim
from mlx_arrays import (
    OPS,
    cast,
    check,
    dtype_of,
    is_tensor,
    no_doubles,
    number,
    op,
    to,
    where,
    zero,
)
from mlx_shapes import flip, mean_of, slice_dim, total

INF = math.inf


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


@op("topk.default")
def topk(x, k, dim=-1, largest=True, sorted=True):
    need(sorted, "an order that is not sorted")
    values, at = sort(x, dim, largest)
    return (slice_dim(values, dim, 0, k), slice_dim(at, dim, 0, k)) if x.ndim else (values, at)


OPS["argsort.default"] = lambda x, dim=-1, descending=False: sort_indices(x, dim, descending)
OPS["argsort.stable"] = lambda x, stable, dim=-1, descending=False: sort_indices(x, dim, descending)
OPS["msort.default"] = lambda x: sort(x, 0)[0]


def inside(at, n):
    """Indices, wrapped; those out of range are declined, and MLX does not see them."""
    need(n or not at.size, "an index out of range")
    at = cast(at, "int64")
    bad = (at < -n) | (at >= n)
    check(bad, "an index out of range")
    return where(bad, zero(at), where(at < 0, at + n, at))


def index(x, indices):
    at = [slice(None)] * x.ndim
    need(len(indices) <= x.ndim, "indices of bools")
    for d, i in enumerate(indices):
        if i is not None:
            need(kind(dtype_of(i)) == 1 and dtype_of(i) != "uint8", "indices of bools")
            at[d] = inside(i, x.shape[d])
    return tuple(at)


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
    need(x.ndim and at.ndim and at.size and x.size, "0 dims, or no elements")
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
    need(
        x.ndim and at.ndim and at.size and x.size and dtype_of(x) not in ("bool", *HALVES),
        "0 dims, no elements, bools, 16-bit floats",
    )
    dim = wrap_dim(dim, x.ndim)
    places = [
        mx.arange(n).reshape([n if d == e else 1 for e in range(at.ndim)])
        for d, n in enumerate(at.shape)
    ]
    places[dim] = inside(at, x.shape[dim])
    return x.at[tuple(places)].add(leading(src, at))


def lines(x, dim, at):
    where_ = [slice(None)] * x.ndim
    where_[wrap_dim(dim, x.ndim)] = inside(at.reshape(-1), x.shape[dim])
    return tuple(where_)


@op("index_select.default")
def index_select(x, dim, at):
    need(x.ndim, "0 dims")
    return mx.take(x, inside(at.reshape(-1), x.shape[dim]), axis=dim)


@op("index_add.default")
def index_add(x, dim, at, source, alpha=1):
    need(
        x.ndim and at.size and x.size and dtype_of(x) not in ("bool", *HALVES),
        "0 dims, no elements, bools, 16-bit floats",
    )
    return x.at[lines(x, dim, at)].add(
        source if alpha == 1 else source * number(alpha, dtype_of(x))
    )


@op("index_copy.default")
def index_copy(x, dim, at, source):
    need(x.ndim and at.size and x.size, "0 dims, or no elements")
    at = inside(at.reshape(-1), x.shape[dim])
    check_unique_indices(mx.zeros(x.shape[dim]), 0, at)
    copy = mx.array(x)
    copy[lines(x, dim, at)] = source
    return copy


@op("index_fill.int_Scalar", "index_fill.int_Tensor")
def index_fill(x, dim, at, value):
    need(x.ndim and at.size and x.size, "0 dims, or no elements")
    copy = mx.array(x)
    copy[lines(x, dim, at)] = to(value, dtype_of(x))
    return copy


@op("embedding.default")
def embedding(weight, at, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
    n = weight.shape[0]
    need(n or not at.size, "an index out of range")
    at = cast(at, "int64")
    bad = (at < 0) | (at >= n)
    check(bad, "an index out of range")
    return weight[where(bad, zero(at), at)]


@op("one_hot.default")
def one_hot(x, num_classes=-1):
    need(num_classes > 0, "classes by the values")
    check((x < 0) | (x >= num_classes), "an index out of range")
    return cast(mx.expand_dims(x, -1) == mx.arange(num_classes), "int64")


@op("take.default")
def take(x, at):
    return mx.take(x.reshape(-1), inside(at, x.size))


@op("index.Tensor")
def index_tensor(x, indices):
    return x[index(x, indices)]


# ---- matrices


def product(function):
    """Of one dtype of floats; 16-bit ones accumulate in 32 bits."""

    def run(*args, **named):
        dtype = dtype_of(next(a for a in args if is_tensor(a)))
        need(
            kind(dtype) == 2
            and all(a is None or not is_tensor(a) or dtype_of(a) == dtype for a in args),
            "integers, or mixed dtypes",
        )
        args = [to(a, wide(dtype)) if is_tensor(a) else a for a in args]
        named = {k: to(a, wide(dtype)) if is_tensor(a) else a for k, a in named.items()}
        return cast(function(*args, **named), dtype)

    return run


def add_product(multiply):
    def run(bias, a, b, beta=1, alpha=1):
        dtype = dtype_of(bias)
        if multiply is mx.matmul and a.ndim == b.ndim and beta != 0:
            return mx.addmm(bias, a, b, alpha=alpha, beta=beta)
        out = multiply(a, b) if alpha == 1 else number(alpha, dtype) * multiply(a, b)
        if beta == 0:
            return mx.broadcast_to(out, mx.broadcast_shapes(out.shape, bias.shape))
        return (bias if beta == 1 else number(beta, dtype) * bias) + out

    return product(run)


def linear(x, weight, bias=None):
    out = mx.matmul(x, weight.T)
    return out if bias is None else out + bias


def trace(x):
    dtype = dtype_of(x)
    need(x.size, "no elements")
    return total(cast(mx.diagonal(x), "int64" if kind(dtype) < 2 else dtype), (0,))


OPS.update(
    {
        **dict.fromkeys(
            (
                "mm.default",
                "bmm.default",
                "mv.default",
                "dot.default",
                "matmul.default",
                "vdot.default",
            ),
            product(mx.matmul),
        ),
        **dict.fromkeys(
            ("addmm.default", "baddbmm.default", "addmv.default"), add_product(mx.matmul)
        ),
        "addbmm.default": add_product(lambda a, b: total(mx.matmul(a, b), (0,))),
        "addr.default": add_product(mx.outer),
        **dict.fromkeys(
            ("outer.default", "ger.default"), lambda a, b: OPS["mul.Tensor"](a[:, None], b)
        ),
        "linear.default": product(linear),
        "inner.default": product(mx.inner),
        "kron.default": lambda a, b: (
            need(a.ndim and b.ndim and dtype_of(a) == dtype_of(b), "0 dims") or mx.kron(a, b)
        ),
        "trace.default": trace,
    }
)


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


def adaptive_average(dims):
    def run(x, output_size):
        need(kind(dtype_of(x)) == 2, "integers")
        y = cast(x, wide(dtype_of(x)))
        for d, n in zip(range(x.ndim - dims, x.ndim), several(output_size, dims)):
            size = x.shape[d]
            cells = [slice_dim(y, d, i * size // n, -(-(i + 1) * size // n)) for i in range(n)]
            y = mx.stack([mean_of(c, (d,)) for c in cells], d)
        return cast(y, dtype_of(x))

    return run


for dims in (1, 2, 3):
    OPS[f"max_pool{dims}d.default"] = pooling(dims, mx.max, -INF)
    OPS[f"avg_pool{dims}d.default"] = average(dims)
OPS["adaptive_avg_pool1d.default"], OPS["adaptive_avg_pool2d.default"] = (
    adaptive_average(1),
    adaptive_average(2),
)

# ---- norms, losses, recurrent cells


def in_wide(function, doubles=True):
    """Of the first argument's floats, in 32 bits where they have 16."""

    def run(x, *args, **named):
        need(kind(dtype_of(x)) == 2, "integers")
        if not doubles:
            no_doubles(dtype_of(x))
        w = wide(dtype_of(x))
        args = [to(a, w) if is_tensor(a) and kind(dtype_of(a)) == 2 else a for a in args]
        named = {
            k: to(a, w) if is_tensor(a) and kind(dtype_of(a)) == 2 else a for k, a in named.items()
        }
        return cast(function(cast(x, w), *args, **named), dtype_of(x))

    return run


def softmax(x, dim):
    return mx.softmax(x, axis=dim)


def log_softmax(x, dim):
    away = x - mx.max(x, axis=dim, keepdims=True)
    return away - mx.logsumexp(away, axis=dim, keepdims=True)


def of_dtype(function):
    def run(x, dim, dtype=None):
        need(x.ndim and x.size, "no elements, or no dims")
        return in_wide(function, doubles=False)(x if dtype is None else cast(x, dtype), dim)

    return run


OPS["softmax.int"], OPS["log_softmax.int"] = of_dtype(softmax), of_dtype(log_softmax)


def normal(x, axis, eps):
    away = x - mean_of(x, axis, True)
    return away / mx.sqrt(mean_of(away * away, axis, True) + number(eps, dtype_of(x)))


def affine(x, weight, bias):
    x = x if weight is None else x * weight
    return x if bias is None else x + bias


@op("layer_norm.default")
@in_wide
def layer_norm(x, normalized_shape, weight=None, bias=None, eps=1e-05, cudnn_enable=True):
    if len(normalized_shape) == 1 and dtype_of(x) != "float64" and x.size:
        return mx.fast.layer_norm(x, weight, bias, eps)
    axis = tuple(range(x.ndim - len(normalized_shape), x.ndim))
    return affine(normal(x, axis, eps), weight, bias)


@op("rms_norm.default")
@in_wide
def rms_norm(x, normalized_shape, weight=None, eps=None):
    eps = mx.finfo(x.dtype).eps if eps is None else eps
    if len(normalized_shape) == 1 and dtype_of(x) != "float64" and x.size:
        return mx.fast.rms_norm(x, weight, eps)
    axis = tuple(range(x.ndim - len(normalized_shape), x.ndim))
    return affine(x * mx.rsqrt(mean_of(x * x, axis, True) + number(eps, dtype_of(x))), weight, None)


@op("group_norm.default")
@in_wide
def group_norm(x, num_groups, weight=None, bias=None, eps=1e-05, cudnn_enabled=True):
    need(x.size, "no elements")
    y = normal(x.reshape(x.shape[0], num_groups, -1), (2,), eps).reshape(x.shape)
    weight, bias = (
        None if v is None else v.reshape((-1,) + (1,) * (x.ndim - 2)) for v in (weight, bias)
    )
    return affine(y, weight, bias)


def reduce_loss(x, reduction):
    every = tuple(range(x.ndim))
    return x if reduction == 0 else mean_of(x, every) if reduction == 1 else total(x, every)


def loss(function):
    @in_wide
    def run(x, target, reduction=1, **named):
        return reduce_loss(function(x, target, **named), reduction)

    def run_checked(x, target, *args, **named):
        need(x.dtype == target.dtype and x.shape == target.shape, "mixed dtypes")
        need(
            (args[0] if args else named.get("reduction", 1)) in (0, 1, 2),
            "a reduction that is none",
        )
        return run(x, target, *args, **named)

    return run_checked


def smooth_l1(x, y, beta=1.0):
    z, limit = mx.abs(x - y), number(beta, dtype_of(x))
    return z if beta == 0 else where(z < limit, 0.5 * z * z / limit, z - 0.5 * beta)


def huber(x, y, delta=1.0):
    z, d = mx.abs(x - y), number(delta, dtype_of(x))
    return where(z <= d, 0.5 * z * z, d * (z - 0.5 * d))


OPS.update(
    {
        "mse_loss.default": loss(lambda x, y: mx.square(x - y)),
        "l1_loss.default": loss(lambda x, y: mx.abs(x - y)),
        "smooth_l1_loss.default": loss(smooth_l1),
        "huber_loss.default": loss(huber),
    }
)


def gates(x, h, w_ih, w_hh, b_ih, b_hh):
    return linear(x, w_ih, b_ih), linear(h, w_hh, b_hh)


def sigmoid(x):
    no_doubles(dtype_of(x))
    return mx.sigmoid(x)


def plain_cell(function):
    return product(
        lambda x, h, w_ih, w_hh, b_ih=None, b_hh=None: function(
            sum(gates(x, h, w_ih, w_hh, b_ih, b_hh))
        )
    )


@op("gru_cell.default")
@product
def gru_cell(x, h, w_ih, w_hh, b_ih=None, b_hh=None):
    (r, z, n), (r2, z2, n2) = (mx.split(g, 3, -1) for g in gates(x, h, w_ih, w_hh, b_ih, b_hh))
    new = mx.tanh(n + sigmoid(r + r2) * n2)
    return (h - new) * sigmoid(z + z2) + new


@op("lstm_cell.default")
def lstm_cell(x, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    need(dtype_of(x) == "float32", "other floats")
    i, f, g, o = mx.split(sum(gates(x, hx[0], w_ih, w_hh, b_ih, b_hh)), 4, -1)
    c = sigmoid(f) * hx[1] + sigmoid(i) * mx.tanh(g)
    return sigmoid(o) * mx.tanh(c), c


OPS["rnn_tanh_cell.default"] = plain_cell(mx.tanh)
OPS["rnn_relu_cell.default"] = plain_cell(lambda x: where(x < 0, zero(x), x))


@op("glu.default")
def glu(x, dim=-1):
    def gate(x):
        a, b = mx.split(x, 2, dim)
        return a * sigmoid(b)

    return in_wide(gate)(x)


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
