"""ATen's shape ops, constructors and reductions that read the same for any Library
(aten_arrays)."""

import math

import numpy
from aten import common_dtype, default_dtype, dims_of, kind, need, wide, wrap_dim


def slice_dim(x, dim=0, start=None, end=None, step=1):
    """With bounds inside, since a library's may have 32 bits."""
    at = [slice(None)] * x.ndim
    dim = wrap_dim(dim, x.ndim)
    at[dim] = slice(*slice(start, end, step).indices(x.shape[dim]))
    return x[tuple(at)]


def narrow(x, dim, start, length):
    start = start + x.shape[dim] if start < 0 else start
    return slice_dim(x, dim, start, start + length)


def pieces(x, sizes, dim=0):
    ends = numpy.cumsum(sizes)
    return [slice_dim(x, dim, int(e) - n, int(e)) for e, n in zip(ends, sizes)]


def split(x, split_size, dim=0):
    n = x.shape[dim]
    if not split_size:
        return [x]
    return pieces(x, [min(split_size, n - at) for at in range(0, n, split_size)] or [0], dim)


def chunk(lib, x, chunks, dim=0):
    n = x.shape[dim]
    return lib.ops["split.Tensor"](x, -(-n // chunks), dim) if n else pieces(x, [0] * chunks, dim)


def expand(lib, x, size, implicit=False):
    old = (1,) * (len(size) - x.ndim) + x.shape
    return lib.np.broadcast_to(x, [o if n == -1 else n for n, o in zip(size, old)])


def squeeze_dim(lib, x, dim):
    return lib.np.squeeze(x, dim) if x.ndim and x.shape[dim] == 1 else x


def swap(lib, x, a, b):
    return lib.np.swapaxes(x, a, b) if x.ndim else x


def pad_width(x, pad):
    """Of each dim what is before and behind."""
    return [(0, 0)] * (x.ndim - len(pad) // 2) + [
        (pad[i], pad[i + 1]) for i in range(len(pad) - 2, -1, -2)
    ]


def cat(lib, tensors, dim=0):
    dtype = lib.common(*tensors)
    kept = [t for t in tensors if t.shape != (0,)] or tensors[:1]
    return lib.np.concatenate([lib.cast(t, dtype) for t in kept], dim)


def stack(lib, tensors, dim=0):
    dtype = lib.common(*tensors)
    return lib.np.stack([lib.cast(t, dtype) for t in tensors], dim)


def unbind(lib, x, dim=0):
    return [lib.ops["select.int"](x, dim, i) for i in range(x.shape[dim])]


PLAIN = {  # what asks the library nothing
    **dict.fromkeys(
        ("alias.default", "clone.default", "real.default"), lambda x, memory_format=None: x
    ),
    **dict.fromkeys(("split_with_sizes.default", "split.sizes"), pieces),
    **dict.fromkeys(("view.default", "reshape.default"), lambda x, size: x.reshape(size)),
    **dict.fromkeys(
        ("view_as.default", "reshape_as.default"), lambda x, other: x.reshape(other.shape)
    ),
    "narrow.default": narrow,
    "numpy_T.default": lambda x: x.T,
    "ravel.default": lambda x: x.reshape(-1),
    "slice.Tensor": slice_dim,
    "split.Tensor": split,
}
SHAPES = {
    **dict.fromkeys(("chunk.default", "unsafe_chunk.default"), chunk),
    **dict.fromkeys(("expand.default", "broadcast_to.default"), expand),
    **dict.fromkeys(("transpose.int", "swapaxes.default", "swapdims.default"), swap),
    "cat.default": cat,
    "expand_as.default": lambda lib, x, other: lib.np.broadcast_to(x, other.shape),
    "mT.default": lambda lib, x: swap(lib, x, -1, -2),
    "squeeze.dim": squeeze_dim,
    "stack.default": stack,
    "unbind.int": unbind,
    "unsqueeze.default": lambda lib, x, dim: lib.np.expand_dims(x, dim),
}

# ---- making tensors


def make_full(lib, size, value, dtype):
    return lib.np.full(tuple(size), lib.number(value, dtype))


def full(lib, size, fill_value, dtype=None, **unused):
    return make_full(lib, size, fill_value, dtype or default_dtype(fill_value))


def new_full(lib, x, size, fill_value, dtype=None, **unused):
    return make_full(lib, size, fill_value, dtype or lib.dtype_of(x))


def full_like(lib, x, fill_value, dtype=None, **unused):
    return make_full(lib, x.shape, fill_value, dtype or lib.dtype_of(x))


def scalar_tensor(lib, s, dtype=None, **unused):
    return lib.number(s, dtype or "float32")


def arange(lib, start, end=None, step=1, dtype=None, **unused):
    start, end = (0, start) if end is None else (start, end)
    dtype = dtype or common_dtype([start, end, step])
    count = max(0, math.ceil((end - start) / step))
    if not count:
        return lib.np.zeros(0, lib.dtype(dtype))
    return lib.numbers([start + i * step for i in range(count)], dtype)


def eye(lib, n, m=None, dtype=None, **unused):
    return lib.np.eye(n, m, dtype=lib.dtype(dtype or "float32"))


def fill(lib, x, value):
    return lib.np.broadcast_to(lib.to(value, lib.dtype_of(x)), x.shape)


MAKERS = {
    **dict.fromkeys(("arange.default", "arange.start", "arange.start_step"), arange),
    **dict.fromkeys(("eye.default", "eye.m"), eye),
    **dict.fromkeys(("fill.Scalar", "fill.Tensor"), fill),
    "full.default": full,
    "full_like.default": full_like,
    "new_full.default": new_full,
    "scalar_tensor.default": scalar_tensor,
}


def add_makers(lib):
    lib.ops.update(lib.of(MAKERS))

    def of(value):
        """By sizes, by another tensor, and by both."""
        return (
            lambda size, dtype=None, **unused: make_full(lib, size, value, dtype or "float32"),
            lambda x, dtype=None, **unused: full_like(lib, x, value, dtype),
            lambda x, size, dtype=None, **unused: new_full(lib, x, size, value, dtype),
        )

    for name, plain, value in (
        ("zeros", "zeros.default", 0),
        ("ones", "ones.default", 1),
        ("empty", "empty.memory_format", 0),
    ):
        names = (plain, name + "_like.default", f"new_{name}.default")
        lib.ops.update(zip(names, of(value)))


# ---- reductions


def reduction(lib, function, widen=False, floats=False, halves=False):
    """Over the dims given; `widen`: of integers in int64; `halves` as in Library.in_float."""

    def run(x, dim=None, keepdim=False, dtype=None):
        dtype = str(dtype or ("int64" if widen and kind(lib.dtype_of(x)) < 2 else lib.dtype_of(x)))
        need(not floats or kind(dtype) == 2, "a mean of integers")
        x, axis = lib.cast(x, dtype), dims_of(dim, x.ndim)
        x = x if halves else lib.cast(x, wide(dtype))
        return lib.cast(function(x, axis=axis, keepdims=keepdim), dtype)

    return run


def arg_reduction(lib, function, best):
    """The place of an extreme, and the extreme with its place."""

    def run(x, dim=None, keepdim=False):
        whole = dim is None or not x.ndim
        at = lib.cast(function(x.reshape(-1) if whole else x, 0 if whole else dim), "int64")
        if dim is None:
            return at.reshape((1,) * x.ndim) if keepdim else at
        return lib.np.expand_dims(at, dim) if keepdim and x.ndim else at

    def both(x, dim, keepdim=False):
        return best(x, axis=dims_of(dim, x.ndim), keepdims=keepdim), run(x, dim, keepdim)

    return run, both


def of_truth(lib, function):
    def run(x, dim=None, keepdim=False):
        out = function(lib.truth(x), axis=dims_of(dim, x.ndim), keepdims=keepdim)
        return lib.cast(out, "uint8" if lib.dtype_of(x) == "uint8" else "bool")

    return run


def cumulative(lib, function):
    def run(x, dim, dtype=None):
        dtype = str(dtype or ("int64" if kind(lib.dtype_of(x)) < 2 else lib.dtype_of(x)))
        x = lib.cast(x, dtype)
        return lib.cast(function(lib.cast(x, wide(dtype)), dim), dtype) if x.ndim else x

    return run


def spread(finish, moments):
    def plain(x, dim=None, unbiased=True, keepdim=False):
        return finish(x, *moments(x, dim, int(unbiased), keepdim))

    def with_correction(x, dim, correction=None, keepdim=False):
        return finish(x, *moments(x, dim, 1 if correction is None else correction, keepdim))

    return {
        "default": lambda x, unbiased=True: plain(x, None, unbiased),
        "dim": plain,
        "correction": with_correction,
    }


def add_spreads(lib, moments):
    """Of `moments`, the variance and the mean: a function of (array, dims, correction, keepdim)."""
    sqrt = lib.np.sqrt
    for name, finish in (
        ("var", lambda x, v, m: v.astype(x.dtype)),
        ("std", lambda x, v, m: sqrt(v).astype(x.dtype)),
        ("var_mean", lambda x, v, m: (v.astype(x.dtype), m.astype(x.dtype))),
        ("std_mean", lambda x, v, m: (sqrt(v).astype(x.dtype), m.astype(x.dtype))),
    ):
        lib.ops.update({f"{name}.{overload}": f for overload, f in spread(finish, moments).items()})


def add_shapes(lib):
    lib.ops.update(PLAIN)
    lib.ops.update(lib.of(SHAPES))
    add_makers(lib)
