"""ATen's shape ops, constructors and reductions in JAX, besides those of aten_shapes."""

import math
from functools import partial

import jax.numpy as jnp
import numpy as np
from aten import dims_of, kind, need, several, wide, wrap_dim
from aten_shapes import add_shapes, add_spreads, arg_reduction, cumulative, of_truth, pad_width
from aten_shapes import reduction as reduction_of
from jax import lax
from jax_arrays import JAX, OPS, number, op, where, zero

INF = math.inf


def move_dims(x, source, destination):
    return jnp.moveaxis(x, source, destination) if x.ndim else x


def select(x, dim, index):
    dim = wrap_dim(dim, x.ndim)
    index = index + x.shape[dim] if index < 0 else index
    return lax.index_in_dim(x, index, dim, keepdims=False)


@op("flatten.using_ints")
def flatten(x, start_dim=0, end_dim=-1):
    if not x.ndim:
        return x.reshape(1)
    a, b = wrap_dim(start_dim, x.ndim), wrap_dim(end_dim, x.ndim)
    return x.reshape(x.shape[:a] + (math.prod(x.shape[a : b + 1]),) + x.shape[b + 1 :])


@op("unfold.default")
def unfold(x, dimension, size, step):
    if not x.ndim:
        return jnp.broadcast_to(x, [size])
    dimension = wrap_dim(dimension, x.ndim)
    starts = np.arange(0, x.shape[dimension] - size + 1, step)
    windows = (
        jnp.take(
            x,
            jnp.asarray(starts[:, None] + np.arange(size), dtype="int64"),
            axis=dimension,
            mode="clip",
        )
        if size * len(starts)
        else jnp.zeros(
            x.shape[:dimension] + (len(starts), size) + x.shape[dimension + 1 :], x.dtype
        )
    )
    return jnp.moveaxis(windows, dimension + 1, -1)


@op("repeat.default", "tile.default")
def repeat(x, repeats):
    return jnp.tile(x, repeats)


@op("roll.default")
def roll(x, shifts, dims=()):
    shifts = several(shifts, 1)
    return jnp.roll(x, shifts[0]) if dims in ((), []) else jnp.roll(x, shifts, several(dims, 1))


@op("constant_pad_nd.default")
def constant_pad(x, pad, value=0):
    return lax.pad(x, number(value, x.dtype), [(*width, 0) for width in pad_width(x, pad)])


@op("pad.default")
def pad(x, pad, mode="constant", value=None):
    if mode == "constant":
        return constant_pad(x, pad, value or 0)
    width = pad_width(x, pad)
    need(min(map(min, width)) >= 0, "a negative pad")
    return jnp.pad(x, width, {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}[mode])


@op("diagonal.default")
def diagonal(x, offset=0, dim1=0, dim2=1):
    return jnp.diagonal(x, offset, dim1, dim2)


@op("diag.default")
def diag(x, diagonal=0):
    return jnp.diag(x, diagonal)


add_shapes(JAX)
OPS.update(
    {
        "contiguous.default": lambda x, memory_format=None: x,
        "detach.default": lax.stop_gradient,
        "select.int": select,
        "permute.default": lambda x, dims: jnp.transpose(x, dims),
        "t.default": lambda x: x.T,
        **dict.fromkeys(("movedim.int", "movedim.intlist"), move_dims),
        "squeeze.default": jnp.squeeze,
        "unflatten.int": lambda x, dim, sizes: x.reshape(
            x.shape[: dim % x.ndim] + tuple(sizes) + x.shape[dim % x.ndim + 1 :]
        ),
        "flip.default": lambda x, dims: jnp.flip(x, tuple(dims)),
        "fliplr.default": jnp.fliplr,
        "flipud.default": jnp.flipud,
        "rot90.default": lambda x, k=1, dims=(0, 1): jnp.rot90(x, k, dims),
        "tril.default": lambda x, diagonal=0: jnp.tril(x, diagonal),
        "triu.default": lambda x, diagonal=0: jnp.triu(x, diagonal),
        "broadcast_tensors.default": lambda tensors: jnp.broadcast_arrays(*tensors),
    }
)

# ---- reductions


def logsumexp_of(x, axis, keepdims):
    most = jnp.max(x, axis, keepdims=True)
    most = where(jnp.abs(most) == INF, zero(x), most)
    out = lax.log(jnp.sum(lax.exp(x - most), axis, keepdims=keepdims))
    return out + (most if keepdims else jnp.squeeze(most, axis))


reduction = partial(reduction_of, JAX)


def argmax(x, axis):
    return lax.argmax(x, wrap_dim(axis, x.ndim), jnp.int64)


def argmin(x, axis):
    return lax.argmin(x, wrap_dim(axis, x.ndim), jnp.int64)


OPS["argmax.default"], OPS["max.dim"] = arg_reduction(JAX, argmax, jnp.max)
OPS["argmin.default"], OPS["min.dim"] = arg_reduction(JAX, argmin, jnp.min)
OPS.update(
    {
        **dict.fromkeys(("sum.default", "sum.dim_IntList"), reduction(jnp.sum, widen=True)),
        **dict.fromkeys(("mean.default", "mean.dim"), reduction(JAX.mean_of, floats=True)),
        "prod.default": reduction(jnp.prod, widen=True),
        "prod.dim_int": reduction(jnp.prod, widen=True),
        "amax.default": reduction(jnp.max),
        "amin.default": reduction(jnp.min),
        "max.default": reduction(jnp.max),
        "min.default": reduction(jnp.min),
        "logsumexp.default": reduction(logsumexp_of, floats=True),
        "nansum.default": reduction(
            lambda x, axis, keepdims: jnp.sum(where(x != x, zero(x), x), axis, keepdims=keepdims),
            widen=True,
        ),
        "count_nonzero.default": lambda x, dim=None: jnp.sum(
            x != 0, dims_of(dim, x.ndim), dtype="int64"
        ),
        "count_nonzero.dim_IntList": lambda x, dim: jnp.sum(
            x != 0, dims_of(dim, x.ndim), dtype="int64"
        ),
    }
)


OPS["all.default"] = OPS["all.dim"] = of_truth(JAX, jnp.all)
OPS["any.default"] = OPS["any.dim"] = of_truth(JAX, jnp.any)


def moments(x, dim, correction, keepdim):
    need(kind(x.dtype) == 2, "integers")
    axis, y = dims_of(dim, x.ndim), x.astype(wide(str(x.dtype)))
    away = y - JAX.mean_of(y, axis, True)
    n = math.prod(x.shape[d] for d in axis)
    n = max(n - correction, 0) if n else 0  # of nothing it is NaN
    return jnp.sum(away * away, axis, keepdims=keepdim) / number(n, y.dtype), JAX.mean_of(
        y, axis, keepdim
    )


add_spreads(JAX, moments)


@op("norm.Scalar", "norm.ScalarOpt_dim", "linalg_vector_norm.default")
def norm(x, p=2, dim=None, keepdim=False, ord=2, dtype=None):
    need(dtype is None and ord == 2 and p in (None, 1, 2, INF, -INF), "a norm of another kind")
    length = {
        1: lambda a, axis, keepdims: jnp.sum(a, axis, keepdims=keepdims),
        INF: jnp.max,
        -INF: jnp.min,
    }.get(p, lambda a, axis, keepdims: lax.sqrt(jnp.sum(a * a, axis, keepdims=keepdims)))
    return reduction(
        lambda x, axis, keepdims: length(jnp.abs(x), axis=axis, keepdims=keepdims), floats=True
    )(x, dim, keepdim)


OPS["cumsum.default"] = cumulative(JAX, jnp.cumsum)
OPS["cumprod.default"] = cumulative(JAX, jnp.cumprod)
