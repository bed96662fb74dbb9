"""ATen's shape ops, constructors and reductions in MLX, besides those of aten_shapes."""

import math
from functools import partial

import mlx.core as mx
import numpy as np
from aten import dims_of, kind, need, several, wide, wrap_dim
from aten_shapes import (
    add_shapes,
    add_spreads,
    arg_reduction,
    cumulative,
    of_truth,
    pad_width,
    slice_dim,
)
from aten_shapes import arange as arange_of
from aten_shapes import reduction as reduction_of
from aten_shapes import split as plain_split
from mlx_arrays import MLX, OPS, cast, dtype_of, no_doubles, number, op, total, where, zero

INF = math.inf


def move_dims(x, source, destination):
    if not x.ndim:
        return x
    source, destination = ([d % x.ndim for d in several(v, 1)] for v in (source, destination))
    order = [d for d in range(x.ndim) if d not in source]
    for at, d in sorted(zip(destination, source)):
        order.insert(at, d)
    return mx.transpose(x, order)


def select(x, dim, index):
    dim = wrap_dim(dim, x.ndim)
    index = index + x.shape[dim] if index < 0 else index
    need(0 <= index < x.shape[dim], "an index out of range")
    return mx.squeeze(slice_dim(x, dim, index, index + 1), dim)


@op("squeeze.default")
def squeeze(x):
    return mx.squeeze(x) if 1 in x.shape else x


@op("flatten.using_ints")
def flatten(x, start_dim=0, end_dim=-1):
    return mx.flatten(x, start_dim, end_dim) if x.ndim else x.reshape(1)


@op("unfold.default")
def unfold(x, dimension, size, step):
    if not x.ndim:
        return mx.broadcast_to(x, [size])
    dimension = wrap_dim(dimension, x.ndim)
    starts = np.arange(0, x.shape[dimension] - size + 1, step)
    if not size * len(starts):
        shape = (*x.shape[:dimension], len(starts), size, *x.shape[dimension + 1 :])
        return mx.moveaxis(mx.zeros(shape, x.dtype), dimension + 1, -1)
    windows = mx.take(x, mx.array(starts[:, None] + np.arange(size)), axis=dimension)
    return mx.moveaxis(windows, dimension + 1, -1)


@op("repeat.default", "tile.default")
def repeat(x, repeats):
    return mx.tile(x, repeats) if len(repeats) else x


@op("roll.default")
def roll(x, shifts, dims=()):
    shifts = several(shifts, 1)
    if not x.size:
        return x
    return mx.roll(x, shifts[0]) if dims in ((), []) else mx.roll(x, shifts, several(dims, 1))


@op("constant_pad_nd.default")
def constant_pad(x, pad, value=0):
    need(not pad or min(pad) >= 0, "a negative pad")
    return mx.pad(x, pad_width(x, pad), constant_values=number(value, dtype_of(x)))


@op("pad.default")
def pad(x, pad, mode="constant", value=None):
    if mode == "constant":
        return constant_pad(x, pad, value or 0)
    need(mode == "replicate" and min(pad) >= 0 and x.size, "a pad of another kind")
    return mx.pad(x, pad_width(x, pad), mode="edge")


@op("diagonal.default")
def diagonal(x, offset=0, dim1=0, dim2=1):
    return mx.diagonal(x, offset, wrap_dim(dim1, x.ndim), wrap_dim(dim2, x.ndim))


def flip(x, dims):
    return mx.flip(x, [wrap_dim(d, x.ndim) for d in dims]) if x.ndim and len(dims) else x


@op("rot90.default")
def rot90(x, k=1, dims=(0, 1)):
    a, b = (wrap_dim(d, x.ndim) for d in dims)
    k %= 4
    if k == 2:
        return flip(x, (a, b))
    if k == 1:
        return mx.swapaxes(flip(x, (b,)), a, b)
    return flip(mx.swapaxes(x, a, b), (b,)) if k else x


def band(function):
    """MLX's takes floats and integers of more than 8 bits; the mask is the same for all."""

    def run(x, diagonal=0):
        mask = function(mx.ones(x.shape[-2:], mx.int32), diagonal) != 0
        return where(mask, x, zero(x))

    return run


add_shapes(MLX)
OPS.update(
    {
        "contiguous.default": lambda x, memory_format=None: mx.contiguous(x),
        "detach.default": mx.stop_gradient,
        "select.int": select,
        "permute.default": lambda x, dims: mx.transpose(x, dims) if x.ndim else x,
        "t.default": lambda x: x.T if x.ndim == 2 else x,
        **dict.fromkeys(("movedim.int", "movedim.intlist"), move_dims),
        "unflatten.int": lambda x, dim, sizes: mx.unflatten(x, dim, sizes),
        "flip.default": flip,
        "fliplr.default": lambda x: flip(x, (1,)),
        "flipud.default": lambda x: flip(x, (0,)),
        "tril.default": band(mx.tril),
        "triu.default": band(mx.triu),
        "broadcast_tensors.default": lambda tensors: list(mx.broadcast_arrays(*tensors)),
    }
)


@op("split.Tensor")
def split(x, split_size, dim=0):
    n = x.shape[dim]
    if not 0 < split_size < n:
        return plain_split(x, split_size, dim)
    return list(mx.split(x, list(range(split_size, n, split_size)), dim))


@op("arange.default", "arange.start", "arange.start_step")
def arange(start, end=None, step=1, dtype=None, **unused):
    first, last = (0, start) if end is None else (start, end)
    whole = all(type(v) is int for v in (first, last, step))
    if whole and dtype in (None, "int64") and (last - first) * step > 0:
        return mx.arange(first, last, step, dtype=mx.int64)
    return arange_of(MLX, start, end, step, dtype)


# ---- reductions


reduction = partial(reduction_of, MLX)


def logsumexp_of(x, axis, keepdims):
    no_doubles(dtype_of(x))
    if not axis:
        return x
    need(x.size, "no elements")
    return mx.logsumexp(x, axis, keepdims=keepdims)


def over(function):
    return lambda x, axis, keepdims: function(x, axis=axis, keepdims=keepdims) if axis else x


def first_nan(function, best):
    """MLX says nothing of a NaN there."""

    def run(x, axis):
        if kind(dtype_of(x)) < 2:
            return function(x, axis=axis)
        nan = x != x
        return where(
            mx.any(nan, axis=axis),
            mx.argmax(cast(nan, "int32"), axis=axis),
            function(where(nan, number(best, dtype_of(x)), x), axis=axis),
        )

    return run


OPS["argmax.default"], OPS["max.dim"] = arg_reduction(MLX, first_nan(mx.argmax, -INF), over(mx.max))
OPS["argmin.default"], OPS["min.dim"] = arg_reduction(MLX, first_nan(mx.argmin, INF), over(mx.min))
OPS.update(
    {
        **dict.fromkeys(("sum.default", "sum.dim_IntList"), reduction(total, widen=True)),
        **dict.fromkeys(("mean.default", "mean.dim"), reduction(MLX.mean_of, floats=True)),
        "prod.default": reduction(over(mx.prod), widen=True),
        "prod.dim_int": reduction(over(mx.prod), widen=True),
        "amax.default": reduction(over(mx.max), halves=True),
        "amin.default": reduction(over(mx.min), halves=True),
        "max.default": reduction(over(mx.max), halves=True),
        "min.default": reduction(over(mx.min), halves=True),
        "logsumexp.default": reduction(logsumexp_of, floats=True),
        "nansum.default": reduction(
            lambda x, axis, keepdims: total(where(x != x, zero(x), x), axis, keepdims),
            widen=True,
        ),
        **dict.fromkeys(
            ("count_nonzero.default", "count_nonzero.dim_IntList"),
            lambda x, dim=None: total(cast(MLX.truth(x), "int64"), dims_of(dim, x.ndim)),
        ),
    }
)


OPS["all.default"] = OPS["all.dim"] = of_truth(MLX, over(mx.all))
OPS["any.default"] = OPS["any.dim"] = of_truth(MLX, over(mx.any))


def moments(x, dim, correction, keepdim):
    need(kind(dtype_of(x)) == 2, "integers")
    axis, y = dims_of(dim, x.ndim), cast(x, wide(dtype_of(x)))
    n = math.prod(x.shape[d] for d in axis)
    mean = MLX.mean_of(y, axis, keepdim)
    if axis and n > correction and float(correction).is_integer() and correction >= 0:
        return mx.var(y, axis=axis, keepdims=keepdim, ddof=int(correction)), mean
    away = y - MLX.mean_of(y, axis, True)
    n = max(n - correction, 0) if n else 0  # of nothing it is NaN
    return total(away * away, axis, keepdim) / number(n, dtype_of(y)), mean


add_spreads(MLX, moments)


@op("norm.Scalar", "norm.ScalarOpt_dim", "linalg_vector_norm.default")
def norm(x, p=2, dim=None, keepdim=False, ord=2, dtype=None):
    need(dtype is None and ord == 2 and p in (None, 1, 2, INF, -INF), "a norm of another kind")
    length = {1: total, INF: over(mx.max), -INF: over(mx.min)}.get(
        p, lambda a, axis, keepdims: mx.sqrt(total(mx.square(a), axis, keepdims))
    )
    return reduction(
        lambda x, axis, keepdims: length(mx.abs(x), axis=axis, keepdims=keepdims), floats=True
    )(x, dim, keepdim)


def along(function):
    return lambda x, dim: function(x, axis=dim) if x.size else x


OPS["cumsum.default"] = cumulative(MLX, along(mx.cumsum))
OPS["cumprod.default"] = cumulative(MLX, along(mx.cumprod))


@op("logcumsumexp.default")
def logcumsumexp(x, dim):
    need(kind(dtype_of(x)) == 2, "integers")
    no_doubles(dtype_of(x))
    return cumulative(MLX, along(mx.logcumsumexp))(x, dim)
