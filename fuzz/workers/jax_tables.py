"""ATen's ops of order, of indices and of matrices in JAX, and what is built on them: windows,
norms, losses, cells."""

import math
from functools import partial

import jax.numpy as jnp
from aten import HALVES, kind, need, several, wide, wrap_dim
from aten_tables import (
    add_layers,
    add_losses,
    add_matrices,
    add_order,
    index,
    lines,
    of_dtype,
    one_hot,
)
from jax import lax
from jax_arrays import JAX, OPS, check, is_tensor, number, op, to, where

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


add_order(JAX, sort_indices)


def inside(at, n):
    """Indices, wrapped; those out of range are declined."""
    at = at.astype("int64")
    check((at < -n) | (at >= n), "an index out of range")
    return where(at < 0, at + n, at)


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


@op("index_select.default")
def index_select(x, dim, at):
    need(x.ndim, "0 dims")
    return x[lines(x, dim, at, inside)]


@op("index_add.default")
def index_add(x, dim, at, source, alpha=1):
    need(x.ndim and x.dtype != bool and str(x.dtype) not in HALVES, "0 dims, bools, 16-bit floats")
    return x.at[lines(x, dim, at, inside)].add(
        source if alpha == 1 else source * number(alpha, x.dtype)
    )


@op("index_copy.default")
def index_copy(x, dim, at, source):
    need(x.ndim, "0 dims")
    at = at.reshape(-1)
    check_unique_indices(jnp.zeros(x.shape[dim]), 0, at)
    return x.at[lines(x, dim, at, inside)].set(source)


@op("index_fill.int_Scalar", "index_fill.int_Tensor")
def index_fill(x, dim, at, value):
    need(x.ndim, "0 dims")
    return x.at[lines(x, dim, at, inside)].set(to(value, x.dtype))


@op("embedding.default")
def embedding(weight, at, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
    check((at < 0) | (at >= weight.shape[0]), "an index out of range")
    return weight[at.astype("int64")]


OPS["one_hot.default"] = partial(one_hot, JAX)


@op("take.default")
def take(x, at):
    return x.reshape(-1)[inside(at, x.size)]


OPS["index.Tensor"] = lambda x, indices: x[index(JAX, x, indices, inside)]

# ---- matrices


add_matrices(JAX, lambda x: jnp.sum(x, 0))
OPS["inner.default"] = JAX.product(lambda a, b: jnp.inner(a, b, precision="highest"))
OPS["trace.default"] = lambda x: jnp.trace(x, dtype="int64" if kind(x.dtype) < 2 else x.dtype)


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

    return JAX.product(run)


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


# ---- norms, losses, recurrent cells


def softmax(x, dim):
    e = lax.exp(x - jnp.max(x, dim, keepdims=True, initial=-INF if not x.size else None))
    return e / jnp.sum(e, dim, keepdims=True)


def log_softmax(x, dim):
    away = x - jnp.max(x, dim, keepdims=True)
    return away - lax.log(jnp.sum(lax.exp(away), dim, keepdims=True))


OPS["softmax.int"], OPS["log_softmax.int"] = of_dtype(JAX, softmax), of_dtype(JAX, log_softmax)


def reduce_loss(x, reduction):
    return x if reduction == 0 else jnp.mean(x) if reduction == 1 else jnp.sum(x)


add_losses(JAX, lambda x, y: (x - y) * (x - y), reduce_loss)
add_layers(JAX)
