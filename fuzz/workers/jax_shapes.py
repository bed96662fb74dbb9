"""ATen's shape ops, constructors and reductions in JAX."""

import math

import jax.numpy as jnp
import numpy as np
from aten import common_dtype, default_dtype, dims_of, kind, need, several, wide, wrap_dim
from jax import lax
from jax_arrays import OPS, common, number, op, to, where, zero

INF = math.inf


def move_dims(x, source, destination):
    return jnp.moveaxis(x, source, destination) if x.ndim else x


def slice_dim(x, dim=0, start=None, end=None, step=1):
    at = [slice(None)] * x.ndim
    at[wrap_dim(dim, x.ndim)] = slice(start, end, step)
    return x[tuple(at)]


def narrow(x, dim, start, length):
    start = start + x.shape[dim] if start < 0 else start
    return slice_dim(x, dim, start, start + length)


def select(x, dim, index):
    dim = wrap_dim(dim, x.ndim)
    index = index + x.shape[dim] if index < 0 else index
    return lax.index_in_dim(x, index, dim, keepdims=False)


def pieces(x, sizes, dim):
    ends = np.cumsum(sizes)
    return [slice_dim(x, dim, int(e) - n, int(e)) for e, n in zip(ends, sizes)]


@op("split.Tensor")
def split(x, split_size, dim=0):
    n = x.shape[dim]
    if not split_size:
        return [x]
    return pieces(x, [min(split_size, n - at) for at in range(0, n, split_size)] or [0], dim)


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
    return jnp.broadcast_to(x, [o if n == -1 else n for n, o in zip(size, old)])


@op("squeeze.dim")
def squeeze_dim(x, dim):
    return jnp.squeeze(x, dim) if x.ndim and x.shape[dim] == 1 else x


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
    config = [(0, 0, 0)] * (x.ndim - len(pad) // 2) + [
        (pad[i], pad[i + 1], 0) for i in range(len(pad) - 2, -1, -2)
    ]
    return lax.pad(x, number(value, x.dtype), config)


@op("pad.default")
def pad(x, pad, mode="constant", value=None):
    if mode == "constant":
        return constant_pad(x, pad, value or 0)
    width = [(0, 0)] * (x.ndim - len(pad) // 2) + [
        (pad[i], pad[i + 1]) for i in range(len(pad) - 2, -1, -2)
    ]
    need(min(map(min, width)) >= 0, "a negative pad")
    return jnp.pad(x, width, {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}[mode])


@op("cat.default")
def cat(tensors, dim=0):
    dtype = common(*tensors)
    kept = [t for t in tensors if t.shape != (0,)] or tensors[:1]
    return jnp.concatenate([t.astype(dtype) for t in kept], dim)


@op("stack.default")
def stack(tensors, dim=0):
    dtype = common(*tensors)
    return jnp.stack([t.astype(dtype) for t in tensors], dim)


@op("diagonal.default")
def diagonal(x, offset=0, dim1=0, dim2=1):
    return jnp.diagonal(x, offset, dim1, dim2)


@op("diag.default")
def diag(x, diagonal=0):
    return jnp.diag(x, diagonal)


OPS.update(
    {
        **dict.fromkeys(
            (
                "alias.default",
                "contiguous.default",
                "clone.default",
                "real.default",
            ),
            lambda x, memory_format=None: x,
        ),
        "detach.default": lax.stop_gradient,
        "slice.Tensor": slice_dim,
        "narrow.default": narrow,
        "select.int": select,
        "permute.default": lambda x, dims: jnp.transpose(x, dims),
        "t.default": lambda x: x.T,
        "numpy_T.default": lambda x: x.T,
        "mT.default": lambda x: jnp.swapaxes(x, -1, -2) if x.ndim else x,
        **dict.fromkeys(
            ("transpose.int", "swapaxes.default", "swapdims.default"),
            lambda x, a, b: jnp.swapaxes(x, a, b) if x.ndim else x,
        ),
        **dict.fromkeys(("movedim.int", "movedim.intlist"), move_dims),
        **dict.fromkeys(("view.default", "reshape.default"), lambda x, size: x.reshape(size)),
        **dict.fromkeys(
            ("view_as.default", "reshape_as.default"), lambda x, other: x.reshape(other.shape)
        ),
        "expand_as.default": lambda x, other: jnp.broadcast_to(x, other.shape),
        "squeeze.default": jnp.squeeze,
        "unsqueeze.default": lambda x, dim: jnp.expand_dims(x, dim),
        "ravel.default": lambda x: x.reshape(-1),
        "unflatten.int": lambda x, dim, sizes: x.reshape(
            x.shape[: dim % x.ndim] + tuple(sizes) + x.shape[dim % x.ndim + 1 :]
        ),
        "unbind.int": lambda x, dim=0: [select(x, dim, i) for i in range(x.shape[dim])],
        "flip.default": lambda x, dims: jnp.flip(x, tuple(dims)),
        "fliplr.default": jnp.fliplr,
        "flipud.default": jnp.flipud,
        "rot90.default": lambda x, k=1, dims=(0, 1): jnp.rot90(x, k, dims),
        "tril.default": lambda x, diagonal=0: jnp.tril(x, diagonal),
        "triu.default": lambda x, diagonal=0: jnp.triu(x, diagonal),
        "broadcast_tensors.default": lambda tensors: jnp.broadcast_arrays(*tensors),
    }
)

# ---- making tensors


def make_full(size, value, dtype):
    return jnp.full(tuple(size), number(value, dtype))


@op("full.default")
def full(size, fill_value, dtype=None, **unused):
    return make_full(size, fill_value, dtype or default_dtype(fill_value))


@op("new_full.default")
def new_full(x, size, fill_value, dtype=None, **unused):
    return make_full(size, fill_value, dtype or x.dtype)


@op("scalar_tensor.default")
def scalar_tensor(s, dtype=None, **unused):
    return number(s, dtype or "float32")


@op("arange.default", "arange.start", "arange.start_step")
def arange(start, end=None, step=1, dtype=None, **unused):
    start, end = (0, start) if end is None else (start, end)
    dtype = dtype or common_dtype([start, end, step])
    count = max(0, math.ceil((end - start) / step))
    return number([start + i * step for i in range(count)], dtype) if count else jnp.zeros(0, dtype)


@op("eye.default", "eye.m")
def eye(n, m=None, dtype=None, **unused):
    return jnp.eye(n, m, dtype=dtype or "float32")


for name, value in (("zeros", 0), ("ones", 1), ("empty", 0)):
    at = "empty.memory_format" if name == "empty" else name + ".default"
    OPS[at] = (lambda v: lambda size, dtype=None, **unused: make_full(size, v, dtype or "float32"))(
        value
    )
    OPS[name + "_like.default"] = (
        lambda v: lambda x, dtype=None, **unused: make_full(x.shape, v, dtype or x.dtype)
    )(value)
    OPS[f"new_{name}.default"] = (
        lambda v: lambda x, size, dtype=None, **unused: make_full(size, v, dtype or x.dtype)
    )(value)
OPS["full_like.default"] = lambda x, fill_value, dtype=None, **unused: make_full(
    x.shape, fill_value, dtype or x.dtype
)
OPS["fill.Scalar"] = OPS["fill.Tensor"] = lambda x, value: jnp.broadcast_to(
    to(value, x.dtype), x.shape
)

# ---- reductions


def reduction(function, widen=False, floats=False):
    """Over the dims given; `widen`: of integers in int64."""

    def run(x, dim=None, keepdim=False, dtype=None):
        dtype = jnp.dtype(dtype or ("int64" if widen and kind(x.dtype) < 2 else x.dtype))
        need(not floats or kind(dtype) == 2, "a mean of integers")
        x = x.astype(dtype)
        out = function(x.astype(wide(str(dtype))), axis=dims_of(dim, x.ndim), keepdims=keepdim)
        return out.astype(dtype)

    return run


def mean_of(x, axis, keepdims=False):
    return jnp.sum(x, axis, keepdims=keepdims) / math.prod(x.shape[d] for d in axis)


def logsumexp_of(x, axis, keepdims):
    most = jnp.max(x, axis, keepdims=True)
    most = where(jnp.abs(most) == INF, zero(x), most)
    out = lax.log(jnp.sum(lax.exp(x - most), axis, keepdims=keepdims))
    return out + (most if keepdims else jnp.squeeze(most, axis))


def arg_reduction(function, best):
    def run(x, dim=None, keepdim=False):
        at = function(
            x.reshape(-1) if dim is None or not x.ndim else x,
            0 if dim is None or not x.ndim else dim,
        )
        at = at.astype("int64")
        if dim is None:
            return at.reshape((1,) * x.ndim) if keepdim else at
        return jnp.expand_dims(at, dim) if keepdim and x.ndim else at

    def both(x, dim, keepdim=False):
        return best(x, axis=dims_of(dim, x.ndim), keepdims=keepdim), run(x, dim, keepdim)

    return run, both


def argmax(x, axis):
    return lax.argmax(x, wrap_dim(axis, x.ndim), jnp.int64)


def argmin(x, axis):
    return lax.argmin(x, wrap_dim(axis, x.ndim), jnp.int64)


OPS["argmax.default"], OPS["max.dim"] = arg_reduction(argmax, jnp.max)
OPS["argmin.default"], OPS["min.dim"] = arg_reduction(argmin, jnp.min)
OPS.update(
    {
        **dict.fromkeys(("sum.default", "sum.dim_IntList"), reduction(jnp.sum, widen=True)),
        **dict.fromkeys(("mean.default", "mean.dim"), reduction(mean_of, floats=True)),
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


def of_truth(function):
    def run(x, dim=None, keepdim=False):
        out = function(x != 0, axis=dims_of(dim, x.ndim), keepdims=keepdim)
        return out.astype("uint8" if x.dtype == jnp.uint8 else bool)

    return run


for name, f in (("all", jnp.all), ("any", jnp.any)):
    OPS[name + ".default"] = OPS[name + ".dim"] = of_truth(f)


def moments(x, dim, correction, keepdim):
    need(kind(x.dtype) == 2, "integers")
    axis, y = dims_of(dim, x.ndim), x.astype(wide(str(x.dtype)))
    away = y - mean_of(y, axis, True)
    n = math.prod(x.shape[d] for d in axis)
    n = max(n - correction, 0) if n else 0  # of nothing it is NaN
    return jnp.sum(away * away, axis, keepdims=keepdim) / number(n, y.dtype), mean_of(
        y, axis, keepdim
    )


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
    ("std", lambda x, v, m: lax.sqrt(v).astype(x.dtype)),
    ("var_mean", lambda x, v, m: (v.astype(x.dtype), m.astype(x.dtype))),
    ("std_mean", lambda x, v, m: (lax.sqrt(v).astype(x.dtype), m.astype(x.dtype))),
):
    OPS.update({f"{name}.{overload}": f for overload, f in spread(finish).items()})


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


def cumulative(function):
    def run(x, dim, dtype=None):
        dtype = dtype or ("int64" if kind(x.dtype) < 2 else x.dtype)
        x = x.astype(dtype)
        return function(x.astype(wide(str(dtype))), dim).astype(dtype) if x.ndim else x

    return run


OPS["cumsum.default"], OPS["cumprod.default"] = cumulative(jnp.cumsum), cumulative(jnp.cumprod)
