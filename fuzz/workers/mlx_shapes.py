"""ATen's shape ops, constructors and reductions in MLX."""

import math

import mlx.core as mx
import numpy as np
from aten import common_dtype, default_dtype, dims_of, kind, need, several, wide, wrap_dim
from mlx_arrays import (
    DTYPE,
    OPS,
    cast,
    common,
    dtype_of,
    no_doubles,
    number,
    op,
    to,
    where,
    zero,
)

INF = math.inf


def move_dims(x, source, destination):
    if not x.ndim:
        return x
    source, destination = ([d % x.ndim for d in several(v, 1)] for v in (source, destination))
    order = [d for d in range(x.ndim) if d not in source]
    for at, d in sorted(zip(destination, source)):
        order.insert(at, d)
    return mx.transpose(x, order)


def slice_dim(x, dim=0, start=None, end=None, step=1):
    at = [slice(None)] * x.ndim
    dim = wrap_dim(dim, x.ndim)
    at[dim] = slice(*slice(start, end, step).indices(x.shape[dim]))  # MLX's have 32 bits
    return x[tuple(at)]


def narrow(x, dim, start, length):
    start = start + x.shape[dim] if start < 0 else start
    return slice_dim(x, dim, start, start + length)


def select(x, dim, index):
    dim = wrap_dim(dim, x.ndim)
    index = index + x.shape[dim] if index < 0 else index
    need(0 <= index < x.shape[dim], "an index out of range")
    return mx.squeeze(slice_dim(x, dim, index, index + 1), dim)


def pieces(x, sizes, dim):
    ends = np.cumsum(sizes)
    return [slice_dim(x, dim, int(e) - n, int(e)) for e, n in zip(ends, sizes)]


@op("split.Tensor")
def split(x, split_size, dim=0):
    n = x.shape[dim]
    if not split_size:
        return [x]
    sizes = [min(split_size, n - at) for at in range(0, n, split_size)] or [0]
    if len(sizes) > 1:
        return list(mx.split(x, list(range(split_size, n, split_size)), dim))
    return pieces(x, sizes, dim)


@op("chunk.default", "unsafe_chunk.default")
def chunk(x, chunks, dim=0):
    n = x.shape[dim]
    return split(x, -(-n // chunks), dim) if n else pieces(x, [0] * chunks, dim)


@op("split_with_sizes.default", "split.sizes")
def split_with_sizes(x, sizes, dim=0):
    return pieces(x, sizes, dim)


@op("expand.default", "broadcast_to.default")
def expand(x, size, implicit=False):
    old = (1,) * (len(size) - x.ndim) + x.shape
    return mx.broadcast_to(x, [o if n == -1 else n for n, o in zip(size, old)])


@op("squeeze.dim")
def squeeze_dim(x, dim):
    return mx.squeeze(x, dim) if x.ndim and x.shape[dim] == 1 else x


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


def pad_width(x, pad):
    return [(0, 0)] * (x.ndim - len(pad) // 2) + [
        (pad[i], pad[i + 1]) for i in range(len(pad) - 2, -1, -2)
    ]


@op("pad.default")
def pad(x, pad, mode="constant", value=None):
    if mode == "constant":
        return constant_pad(x, pad, value or 0)
    need(mode == "replicate" and min(pad) >= 0 and x.size, "a pad of another kind")
    return mx.pad(x, pad_width(x, pad), mode="edge")


@op("cat.default")
def cat(tensors, dim=0):
    dtype = common(*tensors)
    kept = [t for t in tensors if t.shape != (0,)] or tensors[:1]
    return mx.concatenate([cast(t, dtype) for t in kept], dim)


@op("stack.default")
def stack(tensors, dim=0):
    dtype = common(*tensors)
    return mx.stack([cast(t, dtype) for t in tensors], dim)


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


@op("broadcast_tensors.default")
def broadcast_tensors(tensors):
    return list(mx.broadcast_arrays(*tensors))


OPS.update(
    {
        **dict.fromkeys(
            ("alias.default", "clone.default", "real.default"),
            lambda x, memory_format=None: x,
        ),
        "contiguous.default": lambda x, memory_format=None: mx.contiguous(x),
        "detach.default": mx.stop_gradient,
        "slice.Tensor": slice_dim,
        "narrow.default": narrow,
        "select.int": select,
        "permute.default": lambda x, dims: mx.transpose(x, dims) if x.ndim else x,
        "t.default": lambda x: x.T if x.ndim == 2 else x,
        "numpy_T.default": lambda x: x.T,
        "mT.default": lambda x: mx.swapaxes(x, -1, -2) if x.ndim else x,
        **dict.fromkeys(
            ("transpose.int", "swapaxes.default", "swapdims.default"),
            lambda x, a, b: mx.swapaxes(x, a, b) if x.ndim else x,
        ),
        **dict.fromkeys(("movedim.int", "movedim.intlist"), move_dims),
        **dict.fromkeys(("view.default", "reshape.default"), lambda x, size: x.reshape(size)),
        **dict.fromkeys(
            ("view_as.default", "reshape_as.default"), lambda x, other: x.reshape(other.shape)
        ),
        "expand_as.default": lambda x, other: mx.broadcast_to(x, other.shape),
        "unsqueeze.default": lambda x, dim: mx.expand_dims(x, dim),
        "ravel.default": lambda x: x.reshape(-1),
        "unflatten.int": lambda x, dim, sizes: mx.unflatten(x, dim, sizes),
        "unbind.int": lambda x, dim=0: [select(x, dim, i) for i in range(x.shape[dim])],
        "flip.default": flip,
        "fliplr.default": lambda x: flip(x, (1,)),
        "flipud.default": lambda x: flip(x, (0,)),
        "tril.default": band(mx.tril),
        "triu.default": band(mx.triu),
    }
)

# ---- making tensors


def make_full(size, value, dtype):
    return mx.full(tuple(size), number(value, dtype))


@op("full.default")
def full(size, fill_value, dtype=None, **unused):
    return make_full(size, fill_value, dtype or default_dtype(fill_value))


@op("new_full.default")
def new_full(x, size, fill_value, dtype=None, **unused):
    return make_full(size, fill_value, dtype or dtype_of(x))


@op("scalar_tensor.default")
def scalar_tensor(s, dtype=None, **unused):
    return number(s, dtype or "float32")


@op("arange.default", "arange.start", "arange.start_step")
def arange(start, end=None, step=1, dtype=None, **unused):
    start, end = (0, start) if end is None else (start, end)
    dtype = dtype or common_dtype([start, end, step])
    count = max(0, math.ceil((end - start) / step))
    whole = all(type(v) is int for v in (start, end, step)) and kind(dtype) == 1
    if whole and dtype == "int64":
        return mx.arange(start, end, step, dtype=mx.int64)
    return (
        mx.stack([number(start + i * step, dtype) for i in range(count)])
        if count
        else (mx.zeros(0, DTYPE[dtype]))
    )


@op("eye.default", "eye.m")
def eye(n, m=None, dtype=None, **unused):
    return mx.eye(n, m, dtype=DTYPE[dtype or "float32"])


for name, value in (("zeros", 0), ("ones", 1), ("empty", 0)):
    at = "empty.memory_format" if name == "empty" else name + ".default"
    OPS[at] = (lambda v: lambda size, dtype=None, **unused: make_full(size, v, dtype or "float32"))(
        value
    )
    OPS[name + "_like.default"] = (
        lambda v: lambda x, dtype=None, **unused: make_full(x.shape, v, dtype or dtype_of(x))
    )(value)
    OPS[f"new_{name}.default"] = (
        lambda v: lambda x, size, dtype=None, **unused: make_full(size, v, dtype or dtype_of(x))
    )(value)
OPS["full_like.default"] = lambda x, fill_value, dtype=None, **unused: make_full(
    x.shape, fill_value, dtype or dtype_of(x)
)
OPS["fill.Scalar"] = OPS["fill.Tensor"] = lambda x, value: mx.broadcast_to(
    to(value, dtype_of(x)), x.shape
)

# ---- reductions


def reduction(function, widen=False, floats=False, halves=False):
    """Over the dims given; `widen`: of integers in int64."""

    def run(x, dim=None, keepdim=False, dtype=None):
        dtype = dtype or ("int64" if widen and kind(dtype_of(x)) < 2 else dtype_of(x))
        need(not floats or kind(dtype) == 2, "a mean of integers")
        x, axis = cast(x, dtype), dims_of(dim, x.ndim)
        out = function(x if halves else cast(x, wide(dtype)), axis=axis, keepdims=keepdim)
        return cast(out, dtype)

    return run


def total(x, axis, keepdims=False):
    return mx.sum(x, axis=axis, keepdims=keepdims) if axis else x


def mean_of(x, axis, keepdims=False):
    return total(x, axis, keepdims) / number(math.prod(x.shape[d] for d in axis), dtype_of(x))


def logsumexp_of(x, axis, keepdims):
    no_doubles(dtype_of(x))
    if not axis:
        return x
    need(x.size, "no elements")
    return mx.logsumexp(x, axis, keepdims=keepdims)


def over(function):
    return lambda x, axis, keepdims: function(x, axis=axis, keepdims=keepdims) if axis else x


def arg_reduction(function, best):
    def run(x, dim=None, keepdim=False):
        whole = dim is None or not x.ndim
        at = cast(function(x.reshape(-1) if whole else x, 0 if whole else dim), "int64")
        if dim is None:
            return at.reshape((1,) * x.ndim) if keepdim else at
        return mx.expand_dims(at, dim) if keepdim and x.ndim else at

    def both(x, dim, keepdim=False):
        return over(best)(x, dims_of(dim, x.ndim), keepdim), run(x, dim, keepdim)

    return run, both


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


OPS["argmax.default"], OPS["max.dim"] = arg_reduction(first_nan(mx.argmax, -INF), mx.max)
OPS["argmin.default"], OPS["min.dim"] = arg_reduction(first_nan(mx.argmin, INF), mx.min)
OPS.update(
    {
        **dict.fromkeys(("sum.default", "sum.dim_IntList"), reduction(total, widen=True)),
        **dict.fromkeys(("mean.default", "mean.dim"), reduction(mean_of, floats=True)),
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
            lambda x, dim=None: total(cast(x != zero(x), "int64"), dims_of(dim, x.ndim)),
        ),
    }
)


def of_truth(function):
    def run(x, dim=None, keepdim=False):
        out = over(function)(x != zero(x), dims_of(dim, x.ndim), keepdim)
        return cast(out, "uint8" if dtype_of(x) == "uint8" else "bool")

    return run


for name, f in (("all", mx.all), ("any", mx.any)):
    OPS[name + ".default"] = OPS[name + ".dim"] = of_truth(f)


def moments(x, dim, correction, keepdim):
    need(kind(dtype_of(x)) == 2, "integers")
    axis, y = dims_of(dim, x.ndim), cast(x, wide(dtype_of(x)))
    n = math.prod(x.shape[d] for d in axis)
    mean = mean_of(y, axis, keepdim)
    if axis and n > correction and float(correction).is_integer() and correction >= 0:
        return mx.var(y, axis=axis, keepdims=keepdim, ddof=int(correction)), mean
    away = y - mean_of(y, axis, True)
    n = max(n - correction, 0) if n else 0  # of nothing it is NaN
    return total(away * away, axis, keepdim) / number(n, dtype_of(y)), mean


def spread(finish):
    def plain(x, dim=None, unbiased=True, keepdim=False):
        return finish(x, *moments(x, dim, int(unbiased), keepdim))

    def with_correction(x, dim, correction=None, keepdim=False):
        return finish(x, *moments(x, dim, 1 if correction is None else correction, keepdim))

    return {
        "default": lambda x, unbiased=True: plain(x, None, unbiased),
        "dim": plain,
        "correction": with_correction,
    }


for name, finish in (
    ("var", lambda x, v, m: v.astype(x.dtype)),
    ("std", lambda x, v, m: mx.sqrt(v).astype(x.dtype)),
    ("var_mean", lambda x, v, m: (v.astype(x.dtype), m.astype(x.dtype))),
    ("std_mean", lambda x, v, m: (mx.sqrt(v).astype(x.dtype), m.astype(x.dtype))),
):
    OPS.update({f"{name}.{overload}": f for overload, f in spread(finish).items()})


@op("norm.Scalar", "norm.ScalarOpt_dim", "linalg_vector_norm.default")
def norm(x, p=2, dim=None, keepdim=False, ord=2, dtype=None):
    need(dtype is None and ord == 2 and p in (None, 1, 2, INF, -INF), "a norm of another kind")
    length = {1: total, INF: over(mx.max), -INF: over(mx.min)}.get(
        p, lambda a, axis, keepdims: mx.sqrt(total(mx.square(a), axis, keepdims))
    )
    return reduction(
        lambda x, axis, keepdims: length(mx.abs(x), axis=axis, keepdims=keepdims), floats=True
    )(x, dim, keepdim)


def cumulative(function):
    def run(x, dim, dtype=None):
        dtype = dtype or ("int64" if kind(dtype_of(x)) < 2 else dtype_of(x))
        x = cast(x, dtype)
        return cast(function(cast(x, wide(dtype)), axis=dim), dtype) if x.ndim and x.size else x

    return run


OPS["cumsum.default"], OPS["cumprod.default"] = cumulative(mx.cumsum), cumulative(mx.cumprod)


@op("logcumsumexp.default")
def logcumsumexp(x, dim):
    need(kind(dtype_of(x)) == 2, "integers")
    no_doubles(dtype_of(x))
    return cumulative(mx.logcumsumexp)(x, dim)
