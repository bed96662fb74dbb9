"""ATen's ops of shapes, constructors, reductions and indices in ONNX."""

import math

import numpy as np
from aten import common_dtype, default_dtype, dims_of, kind, need, several, wide, wrap_dim
from onnx_graph import (
    OPS,
    Graph,
    check,
    common,
    constant,
    div,
    either,
    emit,
    emit_several,
    equal,
    ints,
    less,
    like,
    logical_not,
    mul,
    node,
    op,
    sub,
    to,
)

LAST = (1 << 63) - 1

# ---- shapes


def reshape(x, shape):
    shape = list(shape)
    if -1 in shape:
        rest = math.prod(n for n in shape if n != -1)
        need(rest, "a size that no elements tell")
        shape[shape.index(-1)] = x.numel // rest
    if math.prod(shape) != x.numel:
        raise RuntimeError(f"no view of {x.shape} has the sizes {shape}")
    return emit("Reshape", [x, ints(shape)], x.dtype, shape, allowzero=1)


def transpose_dims(x, dims):
    dims = [wrap_dim(d, x.ndim) for d in dims]
    return emit("Transpose", [x], x.dtype, [x.shape[d] for d in dims], perm=dims) if x.ndim else x


def swap_dims(x, a, b):
    dims = list(range(x.ndim))
    if x.ndim:
        dims[a], dims[b] = dims[b], dims[a]
    return transpose_dims(x, dims)


def move_dims(x, source, destination):
    source, destination = ([wrap_dim(d, x.ndim) for d in dims] for dims in (source, destination))
    order = [d for d in range(x.ndim) if d not in source]
    for d, s in sorted(zip(destination, source)):
        order.insert(d, s)
    return transpose_dims(x, order)


def slice_dim(x, dim=0, start=None, end=None, step=1):
    dim = wrap_dim(dim, x.ndim)
    start, stop, step = slice(start, end, step).indices(x.shape[dim])
    shape = list(x.shape)
    shape[dim] = len(range(start, stop, step))
    stop = -LAST if step < 0 and stop < 0 else stop
    return emit(
        "Slice", [x, ints([start]), ints([stop]), ints([dim]), ints([step])], x.dtype, shape
    )


def narrow(x, dim, start, length):
    start = start + x.shape[dim] if start < 0 else start
    return slice_dim(x, dim, start, start + length)


def select(x, dim, index):
    dim = wrap_dim(dim, x.ndim)
    return emit(
        "Gather",
        [x, constant(index, "int64")],
        x.dtype,
        x.shape[:dim] + x.shape[dim + 1 :],
        axis=dim,
    )


def pieces(x, sizes, dim):
    dim = wrap_dim(dim, x.ndim)
    outputs = [(x.dtype, x.shape[:dim] + (n,) + x.shape[dim + 1 :]) for n in sizes]
    return emit_several("Split", [x, ints(sizes)], outputs, axis=dim)


@op("split.Tensor")
def split(x, split_size, dim=0):
    n = x.shape[dim]
    need(split_size and n, "no elements")
    return pieces(x, [min(split_size, n - at) for at in range(0, n, split_size)], dim)


@op("chunk.default", "unsafe_chunk.default")
def chunk(x, chunks, dim=0):
    return split(x, max(1, -(-x.shape[dim] // chunks)), dim)


@op("split_with_sizes.default", "split.sizes")
def split_with_sizes(x, sizes, dim=0):
    return pieces(x, sizes, dim)


@op("expand.default", "broadcast_to.default")
def expand(x, size, implicit=False):
    old = (1,) * (len(size) - x.ndim) + x.shape
    size = [o if n == -1 else n for n, o in zip(size, old)]
    return emit("Expand", [x, ints(size)], x.dtype, size)


@op("squeeze.default")
def squeeze(x):
    return squeeze_dims(x, [d for d in range(x.ndim) if x.shape[d] == 1])


@op("squeeze.dim")
def squeeze_dim(x, dim):
    return squeeze_dims(x, [wrap_dim(dim, x.ndim)] if x.ndim and x.shape[dim] == 1 else [])


def squeeze_dims(x, dims):
    shape = [n for d, n in enumerate(x.shape) if d not in dims]
    return emit("Squeeze", [x, ints(dims)], x.dtype, shape) if dims else x


@op("unsqueeze.default")
def unsqueeze(x, dim):
    dim = dim % (x.ndim + 1)
    return emit("Unsqueeze", [x, ints([dim])], x.dtype, x.shape[:dim] + (1,) + x.shape[dim:])


@op("flatten.using_ints")
def flatten(x, start_dim=0, end_dim=-1):
    if not x.ndim:
        return reshape(x, [1])
    a, b = wrap_dim(start_dim, x.ndim), wrap_dim(end_dim, x.ndim)
    return reshape(x, x.shape[:a] + (math.prod(x.shape[a : b + 1]),) + x.shape[b + 1 :])


@op("unfold.default")
def unfold(x, dimension, size, step):
    need(x.ndim, "0 dims")
    dim = wrap_dim(dimension, x.ndim)
    positions = np.arange(0, x.shape[dim] - size + 1, step)[:, None] + np.arange(size)
    shape = x.shape[:dim] + positions.shape + x.shape[dim + 1 :]
    return move_dims(
        emit("Gather", [x, constant(positions, "int64")], x.dtype, shape, axis=dim),
        [dim + 1],
        [x.ndim],
    )


@op("flip.default")
def flip(x, dims):
    for d in dims:
        x = slice_dim(x, d, None, None, -1) if x.ndim else x
    return x


@op("roll.default")
def roll(x, shifts, dims=()):
    shape, shifts, dims = (
        x.shape,
        several(shifts, 1),
        several(dims, 1) if dims not in ((), []) else [],
    )
    need(x.numel, "no elements")
    if not dims:
        x, dims = reshape(x, [x.numel]), [0]
    for n, d in zip(shifts, dims):
        at = -n % x.shape[d]
        x = concat([slice_dim(x, d, at, None), slice_dim(x, d, 0, at)], d)
    return reshape(x, shape)


@op("repeat.default", "tile.default")
def repeat(x, repeats):
    need(len(repeats) >= x.ndim, "fewer repeats than dims")
    x = reshape(x, (1,) * (len(repeats) - x.ndim) + x.shape)
    return emit("Tile", [x, ints(repeats)], x.dtype, [n * r for n, r in zip(x.shape, repeats)])


def concat(tensors, dim):
    dim = wrap_dim(dim, tensors[0].ndim)
    shape = list(tensors[0].shape)
    shape[dim] = sum(t.shape[dim] for t in tensors)
    return emit("Concat", tensors, tensors[0].dtype, shape, axis=dim)


@op("cat.default")
def cat(tensors, dim=0):
    dtype = common(*tensors)
    return concat(
        [to(t, dtype) for t in tensors if t.shape != (0,)] or [to(tensors[0], dtype)], dim
    )


@op("stack.default")
def stack(tensors, dim=0):
    dtype = common(*tensors)
    dim = dim % (tensors[0].ndim + 1)
    return concat([unsqueeze(to(t, dtype), dim) for t in tensors], dim)


@op("constant_pad_nd.default", "pad.default")
def pad(x, pad, value=0, mode="constant"):
    if not pad:
        return x
    before, after = [0] * x.ndim, [0] * x.ndim
    for i in range(0, len(pad), 2):
        before[x.ndim - 1 - i // 2], after[x.ndim - 1 - i // 2] = pad[i], pad[i + 1]
    need(mode == "constant" or min(pad) >= 0, "a negative pad of another mode")
    shape = [n + b + a for n, b, a in zip(x.shape, before, after)]
    need(min(shape) >= 0, "a negative size")
    inputs = [x, ints(before + after)] + ([like(x, value or 0)] if mode == "constant" else [])
    word = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}[
        mode
    ]
    return emit("Pad", inputs, x.dtype, shape, mode=word)


def triangle(upper):
    return lambda x, diagonal=0: emit(
        "Trilu", [x, constant(diagonal, "int64")], x.dtype, x.shape, upper=upper
    )


OPS.update(
    {
        **dict.fromkeys(
            ("alias.default", "detach.default", "contiguous.default", "clone.default"),
            lambda x, memory_format=None: x,
        ),
        "slice.Tensor": slice_dim,
        "narrow.default": narrow,
        "select.int": select,
        "permute.default": transpose_dims,
        "t.default": lambda x: transpose_dims(x, range(x.ndim)[::-1]),
        "numpy_T.default": lambda x: transpose_dims(x, range(x.ndim)[::-1]),
        **dict.fromkeys(("transpose.int", "swapaxes.default", "swapdims.default"), swap_dims),
        **dict.fromkeys(
            ("movedim.int", "movedim.intlist"),
            lambda x, source, destination: (
                move_dims(x, several(source, 1), several(destination, 1)) if x.ndim else x
            ),
        ),
        **dict.fromkeys(("view.default", "reshape.default"), reshape),
        **dict.fromkeys(
            ("view_as.default", "reshape_as.default"), lambda x, other: reshape(x, other.shape)
        ),
        "expand_as.default": lambda x, other: expand(x, list(other.shape)),
        "unbind.int": lambda x, dim=0: [select(x, dim, i) for i in range(x.shape[dim])],
        "tril.default": triangle(0),
        "triu.default": triangle(1),
        "ravel.default": lambda x: reshape(x, [x.numel]),
    }
)

# ---- making tensors


def make_full(size, value, dtype):
    return constant(np.full(tuple(size), np.asarray(value).astype(dtype)), dtype)


@op("full.default")
def full(size, fill_value, dtype=None, **unused):
    return make_full(size, fill_value, dtype or default_dtype(fill_value))


@op("scalar_tensor.default")
def scalar_tensor(s, dtype=None, **unused):
    return constant(s, dtype or "float32")


@op("arange.default", "arange.start", "arange.start_step")
def arange(start, end=None, step=1, dtype=None, **unused):
    start, end = (0, start) if end is None else (start, end)
    count = max(0, math.ceil((end - start) / step))
    return constant(
        [start + i * step for i in range(count)],
        dtype or common_dtype([start, end, step]),
        (count,),
    )


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
for name in ("full_like", "new_full"):
    OPS[name + ".default"] = (
        lambda like_: (
            lambda x, *size_value, dtype=None, **unused: make_full(
                x.shape if like_ else size_value[0], size_value[-1], dtype or x.dtype
            )
        )
    )(name == "full_like")
OPS["fill.Scalar"] = OPS["fill.Tensor"] = lambda x, value: expand(to(value, x.dtype), list(x.shape))

# ---- reductions


def reduce_dims(kind_, x, dims, keepdim):
    shape = [1 if d in dims else n for d, n in enumerate(x.shape) if keepdim or d not in dims]
    inputs = [x, ints(dims)] if dims else [x]
    return emit(kind_, inputs, x.dtype, shape, keepdims=int(keepdim), noop_with_empty_axes=0)


def check_no_nan(x):
    """Whether a maximum or minimum is NaN depends on where the NaN is."""
    if kind(x.dtype) == 2:
        check(node("IsNaN", to(x, wide(x.dtype)), dtype="bool"), "a NaN in a maximum or minimum")
    return x


def within(kind_, x, dims):
    """Integers saturate where they overflow: decided on the sum, or the product, of magnitudes in
    floats."""
    if kind_ in ("ReduceSum", "ReduceProd") and kind(x.dtype) == 1:
        whole = reduce_dims(kind_, node("Abs", to(x, Graph.widest)), dims, False)
        limit = 2.0 ** (8 * np.dtype(x.dtype).itemsize - 2)
        check(
            logical_not(less(whole, like(whole, limit))), "an integer's overflow"
        )  # of inf * 0, too


def reduction(kind_, widen=False, floats=False):
    def run(x, dim=None, keepdim=False, dtype=None):
        if kind_ in ("ReduceMax", "ReduceMin"):
            check_no_nan(x)
        dtype = dtype or ("int64" if widen and kind(x.dtype) < 2 else x.dtype)
        need(not floats or kind(dtype) == 2, "a mean of integers")
        need(dtype != "bool", "bools")
        x, dims = to(to(x, dtype), wide(dtype)), dims_of(dim, x.ndim)
        need(kind_ != "ReduceMean" or x.numel, "a mean of nothing")
        within(kind_, x, dims)
        return to(reduce_dims(kind_, x, dims, keepdim), dtype)

    return run


def arg(kind_):
    def run(x, dim=None, keepdim=False):
        x = check_no_nan(x)
        if dim is None or not x.ndim:
            at = emit(kind_, [reshape(x, [x.numel])], "int64", [1], axis=0)
            return reshape(at, [1] * x.ndim if keepdim else [])
        d = wrap_dim(dim, x.ndim)
        shape = [1 if i == d else n for i, n in enumerate(x.shape) if keepdim or i != d]
        return emit(kind_, [x], "int64", shape, axis=d, keepdims=int(keepdim))

    return run


def with_indices(kind_, arg_of):
    return lambda x, dim, keepdim=False: (
        reduction(kind_)(x, dim, keepdim),
        arg_of(x, dim, keepdim),
    )


OPS.update(
    {
        **dict.fromkeys(("sum.default", "sum.dim_IntList"), reduction("ReduceSum", widen=True)),
        **dict.fromkeys(("mean.default", "mean.dim"), reduction("ReduceMean", floats=True)),
        **dict.fromkeys(("prod.default", "prod.dim_int"), reduction("ReduceProd", widen=True)),
        **dict.fromkeys(("amax.default", "max.default"), reduction("ReduceMax")),
        **dict.fromkeys(("amin.default", "min.default"), reduction("ReduceMin")),
        "logsumexp.default": reduction("ReduceLogSumExp", floats=True),
        "argmax.default": arg("ArgMax"),
        "argmin.default": arg("ArgMin"),
        "max.dim": with_indices("ReduceMax", arg("ArgMax")),
        "min.dim": with_indices("ReduceMin", arg("ArgMin")),
    }
)


def of_truth(kind_):
    def run(x, dim=None, keepdim=False):
        out = reduce_dims(kind_, to(to(x, "bool"), "int32"), dims_of(dim, x.ndim), keepdim)
        out = less(like(out, 0), out)  # of no elements it is the least integer or the greatest
        return to(out, "uint8" if x.dtype == "uint8" else "bool")

    return run


for name, reduce in (("all", "ReduceMin"), ("any", "ReduceMax")):
    OPS[name + ".default"] = OPS[name + ".dim"] = of_truth(reduce)


@op("norm.Scalar", "norm.ScalarOpt_dim")
def norm(x, p=2, dim=None, keepdim=False):
    need(p in (None, 1, 2), "a norm of another kind")
    return reduction("ReduceL1" if p == 1 else "ReduceL2", floats=True)(x, dim, keepdim)


def variance(root):
    def moments(x, dim, correction, keepdim):
        need(kind(x.dtype) == 2, "integers")
        dims, y = dims_of(dim, x.ndim), to(x, wide(x.dtype))
        away = sub(y, reduce_dims("ReduceMean", y, dims, True))
        count = math.prod(x.shape[d] for d in dims)
        count = max(count - correction, 0) if count else 0  # of nothing it is NaN
        out = div(reduce_dims("ReduceSum", mul(away, away), dims, keepdim), like(y, count))
        return to(node("Sqrt", out) if root else out, x.dtype)

    return {
        "default": lambda x, unbiased=True: moments(x, None, int(unbiased), False),
        "dim": lambda x, dim, unbiased=True, keepdim=False: moments(x, dim, int(unbiased), keepdim),
        "correction": lambda x, dim, correction=None, keepdim=False: moments(
            x, dim, 1 if correction is None else correction, keepdim
        ),
    }


for name in ("var", "std"):
    OPS.update({f"{name}.{overload}": f for overload, f in variance(name == "std").items()})


@op("cumsum.default")
def cumsum(x, dim, dtype=None):
    dtype = dtype or ("int64" if kind(x.dtype) < 2 else x.dtype)
    x = to(to(x, dtype), wide(dtype))
    return to(
        emit("CumSum", [x, constant(wrap_dim(dim, x.ndim), "int64")], x.dtype, x.shape)
        if x.ndim
        else x,
        dtype,
    )


def softmax(kind_):
    def run(x, dim, dtype=None):
        x = x if dtype is None else to(x, dtype)
        need(kind(x.dtype) == 2 and x.ndim and x.numel, "no elements, or no dims")
        y = to(x, wide(x.dtype))
        check(equal(y, like(y, math.inf)), "a softmax of infinity, which is the limit or NaN")
        return to(emit(kind_, [y], y.dtype, y.shape, axis=wrap_dim(dim, y.ndim)), x.dtype)

    return run


OPS["softmax.int"], OPS["log_softmax.int"] = softmax("Softmax"), softmax("LogSoftmax")

# ---- order and indices


@op("topk.default")
def topk(x, k, dim=-1, largest=True, sorted=True):
    need(x.ndim and sorted, "0 dims, or an order that is not sorted")
    need(x.dtype != "bool", "ONNX orders numbers, not bools")
    d = wrap_dim(dim, x.ndim)
    shape = x.shape[:d] + (k,) + x.shape[d + 1 :]
    return tuple(
        emit_several(
            "TopK",
            [x, ints([k])],
            [(x.dtype, shape), ("int64", shape)],
            axis=d,
            largest=int(largest),
        )
    )


@op("sort.default", "sort.stable")
def sort(x, dim=-1, descending=False, stable=None):
    return topk(x, x.shape[dim] if x.ndim else 0, dim, descending)


def gather_dim(x, at, dim):
    dim = wrap_dim(dim, x.ndim)
    return emit("Gather", [x, at], x.dtype, x.shape[:dim] + at.shape + x.shape[dim + 1 :], axis=dim)


def inside(at, low, n):
    check(
        either(less(at, like(at, low)), node("GreaterOrEqual", at, like(at, n), dtype="bool")),
        "an index out of range",
    )


@op("index_select.default")
def index_select(x, dim, at):
    need(x.ndim, "0 dims")
    inside(at, 0, x.shape[dim])
    return gather_dim(x, reshape(at, [at.numel]), dim)


@op("embedding.default")
def embedding(weight, at, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
    inside(at, 0, weight.shape[0])
    return gather_dim(weight, at, 0)


@op("gather.default")
def gather(x, dim, at, sparse_grad=False):
    need(x.ndim and at.ndim, "0 dims")
    inside(at, 0, x.shape[dim])
    return emit("GatherElements", [x, at], x.dtype, at.shape, axis=wrap_dim(dim, x.ndim))


@op("index.Tensor")
def index(x, indices):
    given = [(d, i) for d, i in enumerate(indices) if i is not None]
    need(
        len(given) == 1 and given[0][1].dtype in ("int32", "int64"),
        "indices of several dims, or bools",
    )
    ((dim, at),) = given
    inside(at, -x.shape[dim], x.shape[dim])
    return gather_dim(x, at, dim)


@op("scatter_add.default")
def scatter_add(x, dim, at, src):
    need(x.ndim and at.ndim and src.shape == at.shape, "0 dims, or places that are fewer")
    need(x.dtype != "float16", "no kernel that adds 16-bit floats")
    inside(at, 0, x.shape[dim])
    return emit(
        "ScatterElements",
        [x, at, src],
        x.dtype,
        x.shape,
        axis=wrap_dim(dim, x.ndim),
        reduction="add",
    )


@op("one_hot.default")
def one_hot(x, num_classes=-1):
    need(num_classes > 0, "classes by the values")
    inside(x, 0, num_classes)
    classes = constant(np.arange(num_classes), x.dtype)
    return to(equal(unsqueeze(x, -1), classes), "int64")
