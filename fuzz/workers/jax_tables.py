"""ATen's ops of order, of indices and of matrices in JAX, and what is built on them: windows,
norms, losses, cells."""

import math

import jax.numpy as jnp
from aten import HALVES, kind, need, several, wide, wrap_dim
from jax import lax
from jax_arrays import OPS, check, is_tensor, number, op, to, where, zero
from jax_shapes import mean_of, slice_dim

INF = math.inf


def sort_indices(x, dim, descending):
    """Indices of a stable sort, NaN the greatest."""
    if not x.ndim:
        return jnp.zeros((), "int64")
    return jnp.argsort(x, axis=dim, descending=descending, stable=True).astype("int64")


@op("sort.default", "sort.stable")
def sort(x, dim=-1, descending=False, stable=None):
    at = sort_indices(x, dim, descending)
    return (jnp.take_along_axis(x, at, dim) if x.ndim else x), at


@op("topk.default")
def topk(x, k, dim=-1, largest=True, sorted=True):
    need(sorted, "an order that is not sorted")
    values, at = sort(x, dim, largest)
    return (slice_dim(values, dim, 0, k), slice_dim(at, dim, 0, k)) if x.ndim else (values, at)


OPS["argsort.default"] = lambda x, dim=-1, descending=False: sort_indices(x, dim, descending)
OPS["argsort.stable"] = lambda x, stable, dim=-1, descending=False: sort_indices(x, dim, descending)
OPS["msort.default"] = lambda x: sort(x, 0)[0]


def inside(at, n):
    """Indices, wrapped; those out of range are declined."""
    check((at < -n) | (at >= n), "an index out of range")
    return where(at < 0, at + n, at)


def index(x, indices):
    at = [slice(None)] * x.ndim
    need(len(indices) <= x.ndim, "indices of bools")
    for d, i in enumerate(indices):
        if i is not None:
            need(kind(i.dtype) == 1 and i.dtype != jnp.uint8, "indices of bools")
            at[d] = inside(i.astype("int64"), x.shape[d])
    return tuple(at)


def along(x, dim, at, function):
    """A function of (values, indices) where every array has the indices' shape, for gather and
    scatter."""
    dim = wrap_dim(dim, x.ndim)
    positions = list(jnp.indices(at.shape, sparse=True)) if at.ndim else []
    if positions:
        positions[dim] = inside(at, x.shape[dim])
    return function(x, tuple(positions))


def leading(source, at):
    return source[tuple(slice(0, n) for n in at.shape)]


@op("gather.default")
def gather(x, dim, at, sparse_grad=False):
    if not x.ndim or not at.ndim:
        need(x.ndim == at.ndim, "0 dims")
        return x
    return along(x, dim, at, lambda x, positions: x[positions])


def check_unique_indices(x, dim, at):
    """Elements written twice in no order are nobody's promise."""
    if at.ndim:
        lines = jnp.sort(jnp.moveaxis(at % max(x.shape[dim], 1), dim, -1), axis=-1)
        check(lines[..., 1:] == lines[..., :-1], "a place written twice")


@op("scatter.src", "scatter.value")
def scatter(x, dim, at, src=None, value=None):
    need(x.ndim and at.ndim, "0 dims")
    check_unique_indices(x, dim, at)
    given = (
        number(value, x.dtype) if src is None else src if not is_tensor(src) else leading(src, at)
    )
    return along(x, dim, at, lambda x, positions: x.at[positions].set(to(given, x.dtype)))


@op("scatter_add.default")
def scatter_add(x, dim, at, src):
    need(
        x.ndim and at.ndim and x.dtype != bool and str(x.dtype) not in HALVES,
        "0 dims, bools, 16-bit floats",
    )
    return along(x, dim, at, lambda x, positions: x.at[positions].add(leading(src, at)))


def lines(x, dim, at):
    where_ = [slice(None)] * x.ndim
    where_[wrap_dim(dim, x.ndim)] = inside(at.astype("int64").reshape(-1), x.shape[dim])
    return tuple(where_)


@op("index_select.default")
def index_select(x, dim, at):
    need(x.ndim, "0 dims")
    return x[lines(x, dim, at)]


@op("index_add.default")
def index_add(x, dim, at, source, alpha=1):
    need(x.ndim and x.dtype != bool and str(x.dtype) not in HALVES, "0 dims, bools, 16-bit floats")
    return x.at[lines(x, dim, at)].add(source if alpha == 1 else source * number(alpha, x.dtype))


@op("index_copy.default")
def index_copy(x, dim, at, source):
    need(x.ndim, "0 dims")
    at = at.reshape(-1)
    check_unique_indices(jnp.zeros(x.shape[dim]), 0, at)
    return x.at[lines(x, dim, at)].set(source)


@op("index_fill.int_Scalar", "index_fill.int_Tensor")
def index_fill(x, dim, at, value):
    need(x.ndim, "0 dims")
    return x.at[lines(x, dim, at)].set(to(value, x.dtype))


@op("embedding.default")
def embedding(weight, at, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
    check((at < 0) | (at >= weight.shape[0]), "an index out of range")
    return weight[at.astype("int64")]


@op("one_hot.default")
def one_hot(x, num_classes=-1):
    need(num_classes > 0, "classes by the values")
    check((x < 0) | (x >= num_classes), "an index out of range")
    return (x[..., None] == jnp.arange(num_classes)).astype("int64")


@op("take.default")
def take(x, at):
    return x.reshape(-1)[inside(at, x.size)]


OPS["index.Tensor"] = lambda x, indices: x[index(x, indices)]

# ---- matrices


def product(function):
    """Of one dtype; 16-bit floats accumulate in 32 bits."""

    def run(*args, **named):
        dtype = str(next(a for a in args if is_tensor(a)).dtype)
        need(
            dtype != "bool"
            and all(a is None or not is_tensor(a) or str(a.dtype) == dtype for a in args),
            "mixed dtypes",
        )
        args = [to(a, wide(dtype)) if is_tensor(a) else a for a in args]
        named = {k: to(a, wide(dtype)) if is_tensor(a) else a for k, a in named.items()}
        return function(*args, **named).astype(dtype)

    return run


def matmul(a, b):
    return jnp.matmul(a, b, precision="highest")


def add_product(multiply):
    def run(bias, a, b, beta=1, alpha=1):
        dtype = bias.dtype
        out = multiply(a, b) if alpha == 1 else number(alpha, dtype) * multiply(a, b)
        if beta == 0:
            return jnp.broadcast_to(out, jnp.broadcast_shapes(out.shape, bias.shape))
        return (bias if beta == 1 else number(beta, dtype) * bias) + out

    return product(run)


def linear(x, weight, bias=None):
    out = matmul(x, weight.T)
    return out if bias is None else out + bias


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
            product(matmul),
        ),
        **dict.fromkeys(("addmm.default", "baddbmm.default", "addmv.default"), add_product(matmul)),
        "addbmm.default": add_product(lambda a, b: jnp.sum(matmul(a, b), 0)),
        "addr.default": add_product(jnp.outer),
        **dict.fromkeys(
            ("outer.default", "ger.default"), lambda a, b: OPS["mul.Tensor"](a[:, None], b)
        ),
        "linear.default": product(linear),
        "inner.default": product(lambda a, b: jnp.inner(a, b, precision="highest")),
        "trace.default": lambda x: jnp.trace(x, dtype="int64" if kind(x.dtype) < 2 else x.dtype),
    }
)


def windows(dims):
    return (
        ("NCW", "OIW", "NCW")
        if dims == 1
        else ("NCHW", "OIHW", "NCHW")
        if dims == 2
        else ("NCDHW", "OIDHW", "NCDHW")
    )


def convolution(dims):
    def run(x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
        single = x.ndim == dims + 1
        if isinstance(padding, str):
            wide_ = [(w - 1) * d for w, d in zip(weight.shape[2:], several(dilation, dims))]
            pads = [(n // 2, n - n // 2) if padding == "same" else (0, 0) for n in wide_]
        else:
            pads = [(n, n) for n in several(padding, dims)]
        out = lax.conv_general_dilated(
            x[None] if single else x,
            weight,
            several(stride, dims),
            pads,
            rhs_dilation=several(dilation, dims),
            feature_group_count=groups,
            dimension_numbers=windows(dims),
            precision="highest",
        )
        out = out if bias is None else out + bias.reshape((-1,) + (1,) * dims)
        return out[0] if single else out

    return product(run)


def pooling(dims, function, start):
    def run(x, kernel_size, stride=(), padding=0, dilation=1, ceil_mode=False):
        need(not ceil_mode and kind(x.dtype) == 2, "windows that reach beyond the end")
        kernel = several(kernel_size, dims)
        stride = kernel if stride in ((), []) else several(stride, dims)
        outer_ = x.ndim - dims
        out = lax.reduce_window(
            x,
            number(start, x.dtype),
            function,
            (1,) * outer_ + tuple(kernel),
            (1,) * outer_ + tuple(stride),
            [(0, 0)] * outer_ + [(n, n) for n in several(padding, dims)],
            window_dilation=(1,) * outer_ + tuple(several(dilation, dims)),
        )
        return out

    return run


def average(dims):
    total = pooling(dims, lax.add, 0)

    def run(
        x,
        kernel_size,
        stride=(),
        padding=0,
        ceil_mode=False,
        count_include_pad=True,
        divisor_override=None,
    ):
        y = x.astype(wide(str(x.dtype)))
        out = total(y, kernel_size, stride, padding, 1, ceil_mode)
        if divisor_override is None and not count_include_pad:
            return (
                out / total(jnp.ones_like(y), kernel_size, stride, padding, 1, ceil_mode)
            ).astype(x.dtype)
        return (out / (divisor_override or math.prod(several(kernel_size, dims)))).astype(x.dtype)

    return run


for dims in (1, 2, 3):
    OPS[f"conv{dims}d.default"] = OPS[f"conv{dims}d.padding"] = convolution(dims)
    OPS[f"max_pool{dims}d.default"] = pooling(dims, lax.max, -INF)
    OPS[f"avg_pool{dims}d.default"] = average(dims)


def adaptive_average(dims):
    def run(x, output_size):
        need(kind(x.dtype) == 2, "integers")
        y = x.astype(wide(str(x.dtype)))
        for d, n in zip(range(x.ndim - dims, x.ndim), several(output_size, dims)):
            size = x.shape[d]
            cells = [slice_dim(y, d, i * size // n, -(-(i + 1) * size // n)) for i in range(n)]
            y = jnp.stack([mean_of(c, (d,)) for c in cells], d)
        return y.astype(x.dtype)

    return run


OPS["adaptive_avg_pool1d.default"], OPS["adaptive_avg_pool2d.default"] = (
    adaptive_average(1),
    adaptive_average(2),
)

# ---- norms, losses, recurrent cells


def in_wide(function):
    """Of the first argument's floats, in 32 bits where they have 16."""

    def run(x, *args, **named):
        need(kind(x.dtype) == 2, "integers")
        w = wide(str(x.dtype))
        args = [to(a, w) if is_tensor(a) and kind(a.dtype) == 2 else a for a in args]
        named = {
            k: to(a, w) if is_tensor(a) and kind(a.dtype) == 2 else a for k, a in named.items()
        }
        return function(x.astype(w), *args, **named).astype(x.dtype)

    return run


def softmax(x, dim):
    e = lax.exp(x - jnp.max(x, dim, keepdims=True, initial=-INF if not x.size else None))
    return e / jnp.sum(e, dim, keepdims=True)


def log_softmax(x, dim):
    away = x - jnp.max(x, dim, keepdims=True)
    return away - lax.log(jnp.sum(lax.exp(away), dim, keepdims=True))


def of_dtype(function):
    def run(x, dim, dtype=None):
        need(x.ndim and x.size, "no elements, or no dims")
        return in_wide(function)(x if dtype is None else x.astype(dtype), dim)

    return run


OPS["softmax.int"], OPS["log_softmax.int"] = of_dtype(softmax), of_dtype(log_softmax)


def normal(x, axis, eps):
    away = x - mean_of(x, axis, True)
    return away / lax.sqrt(mean_of(away * away, axis, True) + number(eps, x.dtype))


def affine(x, weight, bias):
    x = x if weight is None else x * weight
    return x if bias is None else x + bias


@op("layer_norm.default")
@in_wide
def layer_norm(x, normalized_shape, weight=None, bias=None, eps=1e-05, cudnn_enable=True):
    return affine(
        normal(x, tuple(range(x.ndim - len(normalized_shape), x.ndim)), eps), weight, bias
    )


@op("group_norm.default")
@in_wide
def group_norm(x, num_groups, weight=None, bias=None, eps=1e-05, cudnn_enabled=True):
    y = normal(x.reshape(x.shape[0], num_groups, -1), (2,), eps).reshape(x.shape)
    weight, bias = (
        None if v is None else v.reshape((-1,) + (1,) * (x.ndim - 2)) for v in (weight, bias)
    )
    return affine(y, weight, bias)


def reduce_loss(x, reduction):
    return x if reduction == 0 else jnp.mean(x) if reduction == 1 else jnp.sum(x)


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
    z = jnp.abs(x - y)
    return (
        z
        if beta == 0
        else where(z < number(beta, x.dtype), 0.5 * z * z / number(beta, x.dtype), z - 0.5 * beta)
    )


def huber(x, y, delta=1.0):
    z, d = jnp.abs(x - y), number(delta, x.dtype)
    return where(z <= d, 0.5 * z * z, d * (z - 0.5 * d))


OPS.update(
    {
        "mse_loss.default": loss(lambda x, y: (x - y) * (x - y)),
        "l1_loss.default": loss(lambda x, y: jnp.abs(x - y)),
        "smooth_l1_loss.default": loss(smooth_l1),
        "huber_loss.default": loss(huber),
    }
)


def gates(x, h, w_ih, w_hh, b_ih, b_hh):
    return linear(x, w_ih, b_ih), linear(h, w_hh, b_hh)


def sigmoid(x):
    return 1 / (1 + lax.exp(-x))


def plain_cell(function):
    return product(
        lambda x, h, w_ih, w_hh, b_ih=None, b_hh=None: function(
            sum(gates(x, h, w_ih, w_hh, b_ih, b_hh))
        )
    )


@op("gru_cell.default")
@product
def gru_cell(x, h, w_ih, w_hh, b_ih=None, b_hh=None):
    (r, z, n), (r2, z2, n2) = (jnp.split(g, 3, -1) for g in gates(x, h, w_ih, w_hh, b_ih, b_hh))
    new = lax.tanh(n + sigmoid(r + r2) * n2)
    return (h - new) * sigmoid(z + z2) + new


@op("lstm_cell.default")
def lstm_cell(x, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    need(str(x.dtype) not in HALVES, "16-bit floats")
    i, f, g, o = jnp.split(sum(gates(x, hx[0], w_ih, w_hh, b_ih, b_hh)), 4, -1)
    c = sigmoid(f) * hx[1] + sigmoid(i) * lax.tanh(g)
    return sigmoid(o) * lax.tanh(c), c


OPS["rnn_tanh_cell.default"] = plain_cell(lax.tanh)
OPS["rnn_relu_cell.default"] = plain_cell(lambda x: where(x < 0, zero(x), x))


@op("glu.default")
@in_wide
def glu(x, dim=-1):
    a, b = jnp.split(x, 2, dim)
    return a * sigmoid(b)
