"""ONNX's nodes in TensorFlow's operators: those that onnx_worker writes, with ONNX's meaning.

A constant of the graph is a NumPy array, so that axes, sizes and pads are plain numbers. What
TensorFlow has no operator for is declined.
"""

import math

import numpy as np
import onnx
import tensorflow as tf
from aten import need
from onnx import helper, numpy_helper

NODES = {}
INF = math.inf


def node(*names):
    def add(function):
        NODES.update(dict.fromkeys(names, function))
        return function

    return add


class Model:
    """A function of tensors, in the order of the model's inputs, that gives its outputs."""

    def __init__(self, model):
        graph = onnx.load_model_from_string(model).graph
        self.constants = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
        self.inputs, self.outputs = ([v.name for v in vs] for vs in (graph.input, graph.output))
        self.specs = [
            tf.TensorSpec(
                [d.dim_value for d in v.type.tensor_type.shape.dim],
                tf.as_dtype(helper.tensor_dtype_to_np_dtype(v.type.tensor_type.elem_type)),
                v.name,
            )
            for v in graph.input
        ]
        self.steps = []
        for n in graph.node:
            need(n.op_type in NODES, "not in the table: " + n.op_type)
            attributes = {a.name: helper.get_attribute_value(a) for a in n.attribute}
            self.steps.append((NODES[n.op_type], n.input, n.output, attributes))

    def __call__(self, *given):
        known = {**self.constants, "": None, **dict(zip(self.inputs, given))}
        for function, inputs, outputs, attributes in self.steps:
            found = function(*[known[name] for name in inputs], **attributes)
            known.update(zip(outputs, found if isinstance(found, (list, tuple)) else [found]))
        return [tf.convert_to_tensor(known[name]) for name in self.outputs]


def dtype_of(x):
    return np.dtype(x.dtype if isinstance(x, np.ndarray) else x.dtype.as_numpy_dtype)


def like(x, value):
    return tf.constant(value, dtype_of(x))


def numbers(v):
    """Of a constant: axes, sizes."""
    need(isinstance(v, np.ndarray), "sizes or axes that are computed")
    return v.tolist()


# ---- element-wise

NODES.update(
    {
        "Acos": tf.acos,
        "Acosh": tf.acosh,
        "Add": tf.add,
        "And": tf.logical_and,
        "Asin": tf.asin,
        "Asinh": tf.asinh,
        "Atan": tf.atan,
        "Atanh": tf.atanh,
        "BitwiseAnd": tf.bitwise.bitwise_and,
        "BitwiseNot": tf.bitwise.invert,
        "BitwiseOr": tf.bitwise.bitwise_or,
        "BitwiseXor": tf.bitwise.bitwise_xor,
        "Ceil": tf.math.ceil,
        "Cos": tf.cos,
        "Cosh": tf.cosh,
        "Equal": tf.equal,
        "Erf": tf.math.erf,
        "Exp": tf.exp,
        "Floor": tf.floor,
        "Greater": tf.greater,
        "GreaterOrEqual": tf.greater_equal,
        "Identity": tf.identity,
        "IsNaN": tf.math.is_nan,
        "Less": tf.less,
        "LessOrEqual": tf.less_equal,
        "Log": tf.math.log,
        "Max": tf.maximum,
        "Min": tf.minimum,
        "Mul": tf.multiply,
        "Neg": tf.negative,
        "Not": tf.logical_not,
        "Or": tf.logical_or,
        "Reciprocal": tf.math.reciprocal,
        "Relu": tf.nn.relu,
        "Round": tf.round,
        "Selu": tf.nn.selu,
        "Sigmoid": tf.sigmoid,
        "Sin": tf.sin,
        "Sinh": tf.sinh,
        "Softplus": tf.nn.softplus,
        "Sqrt": tf.sqrt,
        "Sub": tf.subtract,
        "Tan": tf.tan,
        "Tanh": tf.tanh,
        "Xor": tf.math.logical_xor,
    }
)


@node("Where")
def where(condition, a, b):
    need(dtype_of(condition).kind == "b", "a condition of numbers")
    return tf.where(condition, a, b)


@node("Abs")
def absolute(x):
    return x if dtype_of(x) == np.uint8 else tf.abs(x)


@node("Div")
def divide(a, b):
    return tf.realdiv(a, b) if dtype_of(a).kind == "f" else tf.truncatediv(a, b)


@node("Mod")
def remainder(a, b, fmod=0):
    return tf.raw_ops.TruncateMod(x=a, y=b) if fmod else tf.math.floormod(a, b)


@node("Pow")
def power(a, b):
    """A negative power of an integer, for which TensorFlow raises, is declined by the graph."""
    if isinstance(b, np.ndarray) and not b.ndim and b == 2:
        return tf.square(a)
    return tf.pow(a, b if dtype_of(a).kind == "f" else tf.maximum(b, like(b, 0)))


@node("Cast")
def cast(x, to):
    return tf.cast(x, tf.as_dtype(helper.tensor_dtype_to_np_dtype(to)))


@node("BitShift")
def shift(a, b, direction):
    return (tf.bitwise.left_shift if direction == b"LEFT" else tf.bitwise.right_shift)(a, b)


@node("IsInf")
def is_inf(x, detect_positive=1, detect_negative=1):
    if detect_positive and detect_negative:
        return tf.math.is_inf(x)
    return tf.equal(x, like(x, INF if detect_positive else -INF))


@node("Clip")
def clip(x, low=None, high=None):
    """The upper limit is the stronger one, as tf.clip_by_value has it not."""
    x = x if low is None else tf.maximum(x, low)
    return x if high is None else tf.minimum(x, high)


@node("Elu")
def elu(x, alpha=1.0):
    return tf.nn.elu(x) if alpha == 1 else tf.where(x > 0, x, like(x, alpha) * tf.nn.elu(x))


@node("Celu")
def celu(x, alpha=1.0):
    low = like(x, alpha) * (tf.exp(x / like(x, alpha)) - like(x, 1))
    return tf.nn.relu(x) + tf.minimum(low, like(x, 0))


@node("HardSigmoid")
def hard_sigmoid(x, alpha=0.2, beta=0.5):
    return clip(like(x, alpha) * x + like(x, beta), like(x, 0), like(x, 1))


@node("HardSwish")
def hard_swish(x):
    return x * tf.nn.relu6(x + like(x, 3)) * like(x, 1 / 6)


@node("LeakyRelu")
def leaky_relu(x, alpha=0.01):
    return tf.nn.leaky_relu(x, alpha)


@node("PRelu")
def prelu(x, slope):
    """Where a subnormal number is taken for zero it must not be left as it is."""
    return tf.where(x > like(x, 0), x, slope * x)


@node("Mish")
def mish(x):
    return x * tf.tanh(tf.nn.softplus(x))


@node("Shrink")
def shrink(x, lambd=0.5, bias=0.0):
    inner = tf.where(x > like(x, lambd), x - like(x, bias), tf.zeros_like(x))
    return tf.where(x < like(x, -lambd), x + like(x, bias), inner)


# ---- shapes


@node("Reshape")
def reshape(x, shape, allowzero=0):
    return tf.reshape(x, numbers(shape))


@node("Transpose")
def transpose(x, perm):
    return tf.transpose(x, perm)


@node("Slice")
def strided_slice(x, starts, ends, axes, steps):
    at = [slice(None)] * len(x.shape)
    for start, end, axis, step in zip(*map(numbers, (starts, ends, axes, steps))):
        at[axis] = slice(start, None if step < 0 and end < 0 else end, step)
    return tf.convert_to_tensor(x)[tuple(at)]


@node("Split")
def split(x, sizes, axis=0):
    return tf.split(x, numbers(sizes), axis)


@node("Expand")
def expand(x, shape):
    return tf.broadcast_to(x, numbers(shape))


@node("Squeeze")
def squeeze(x, axes):
    return tf.squeeze(x, numbers(axes))


@node("Unsqueeze")
def unsqueeze(x, axes):
    return tf.expand_dims(x, *numbers(axes))


@node("Tile")
def tile(x, repeats):
    return tf.tile(x, numbers(repeats))


@node("Concat")
def concat(*tensors, axis):
    return tf.concat(tensors, axis)


@node("Pad")
def pad(x, pads, value=None, mode=b"constant"):
    pads = list(zip(*np.reshape(numbers(pads), (2, -1)).tolist()))
    if mode == b"reflect":
        return tf.pad(x, pads, "REFLECT")
    if mode != b"constant":
        for axis, (before, after) in enumerate(pads):
            at = np.arange(-before, x.shape[axis] + after)
            at = at % x.shape[axis] if mode == b"wrap" else at.clip(0, x.shape[axis] - 1)
            x = tf.gather(x, at, axis=axis) if before or after else x
        return x
    kept = [slice(max(0, -b), n + min(0, a)) for n, (b, a) in zip(x.shape, pads)]
    x = tf.convert_to_tensor(x)[tuple(kept)] if min(map(min, pads), default=0) < 0 else x
    return tf.pad(x, [[max(0, b), max(0, a)] for b, a in pads], constant_values=value)


@node("Trilu")
def triangle(x, k=0, upper=1):
    """band_part has no diagonal that lies outside the kept half."""
    k, (rows, columns) = int(k), x.shape[-2:]
    if upper and -rows <= k <= 0:
        return tf.linalg.band_part(x, -k, -1)
    if not upper and 0 <= k <= columns:
        return tf.linalg.band_part(x, -1, k)
    keep = np.triu if upper else np.tril
    return tf.where(keep(np.ones((rows, columns), bool), k), x, tf.zeros_like(x))


# ---- reductions


def reduction(function):
    def run(x, axes=None, keepdims=1, noop_with_empty_axes=0):
        dims = list(range(len(x.shape))) if axes is None else numbers(axes)
        return function(x, dims, keepdims=bool(keepdims))

    return run


NODES.update(
    {
        "Reduce" + name: reduction(f)
        for name, f in {
            "L1": lambda x, dims, keepdims: tf.reduce_sum(tf.abs(x), dims, keepdims),
            "L2": lambda x, dims, keepdims: tf.sqrt(tf.reduce_sum(x * x, dims, keepdims)),
            "LogSumExp": tf.reduce_logsumexp,
            "Max": tf.reduce_max,
            "Mean": tf.reduce_mean,
            "Min": tf.reduce_min,
            "Prod": tf.reduce_prod,
            "Sum": tf.reduce_sum,
        }.items()
    }
)


def arg_index(function):
    def run(x, axis=0, keepdims=1):
        need(dtype_of(x).kind != "b", "bools")
        at = function(x, axis, tf.int64)
        return tf.expand_dims(at, axis) if keepdims else at

    return run


NODES["ArgMax"], NODES["ArgMin"] = arg_index(tf.argmax), arg_index(tf.argmin)


@node("CumSum")
def cumsum(x, axis):
    return tf.cumsum(x, int(axis))


@node("Softmax")
def softmax(x, axis=-1):
    return tf.nn.softmax(x, axis)


@node("LogSoftmax")
def log_softmax(x, axis=-1):
    return tf.nn.log_softmax(x, axis)


# ---- order and indices


def swap_with_last(x, axis):
    """That axis and the last one."""
    perm = list(range(len(x.shape)))
    perm[axis], perm[-1] = perm[-1], perm[axis]
    return x if perm == sorted(perm) else tf.transpose(x, perm)


@node("TopK")
def top_k(x, k, axis=-1, largest=1, sorted=1):
    """top_k looks for the greatest along the last axis; of negated numbers they are the least."""
    negate = tf.negative if dtype_of(x).kind == "f" else tf.bitwise.invert
    x = swap_with_last(x, axis)
    values, positions = tf.math.top_k(x if largest else negate(x), *numbers(k))
    values = values if largest else negate(values)
    return swap_with_last(values, axis), tf.cast(swap_with_last(positions, axis), tf.int64)


def inside(at, n):
    """Indices that count from the end, and those out of range, whose calls the graph declines."""
    at = tf.where(at < like(at, 0), at + like(at, n), at)
    return tf.minimum(tf.maximum(at, like(at, 0)), like(at, n - 1))


@node("Gather")
def gather(x, at, axis=0):
    n = x.shape[axis]
    if isinstance(at, np.ndarray):
        if np.any((at < -n) | (at >= n)):
            raise IndexError("an index out of range")
        return tf.gather(x, at % max(n, 1), axis=axis)
    if not n:
        return tf.zeros([*x.shape[:axis], *at.shape, *x.shape[axis + 1 :]], x.dtype)
    return tf.gather(x, inside(at, n), axis=axis)


@node("GatherElements")
def gather_elements(x, at, axis=0):
    n = x.shape[axis]
    if not n:
        return tf.zeros(at.shape, x.dtype)
    kept = [slice(None if d == axis else size) for d, size in enumerate(at.shape)]
    x, at = (
        swap_with_last(tf.convert_to_tensor(x)[tuple(kept)], axis),
        swap_with_last(inside(at, n), axis),
    )
    return swap_with_last(tf.gather(x, at, axis=-1, batch_dims=len(x.shape) - 1), axis)


@node("ScatterElements")
def scatter_elements(x, at, source, axis=0, reduction=b"none"):
    need(reduction == b"add", "scattered otherwise than by sums")
    if not x.shape[axis]:
        return tf.identity(x)
    grid = [tf.constant(g, at.dtype) for g in np.indices(at.shape)]
    grid[axis] = inside(at, x.shape[axis])
    return tf.tensor_scatter_nd_add(x, tf.stack(grid, -1), source)


# ---- products and windows


@node("MatMul")
def matmul(a, b):
    left, right = (tf.expand_dims(v, d) if len(v.shape) == 1 else v for v, d in ((a, 0), (b, -1)))
    out = tf.matmul(left, right)
    out = tf.squeeze(out, -1) if len(b.shape) == 1 else out
    return tf.squeeze(out, -1 if len(b.shape) == 1 else -2) if len(a.shape) == 1 else out


@node("Gemm")
def gemm(a, b, c, alpha=1.0, beta=1.0):
    out = tf.matmul(a, b)
    if alpha == beta == 1 and len(c.shape) == 1 and c.shape[0] == b.shape[1]:
        return tf.nn.bias_add(out, c)
    return like(a, alpha) * out + like(a, beta) * c


def last(x):
    """Channels go last: TensorFlow's kernels of the processor take no others."""
    return tf.transpose(x, [0, *range(2, len(x.shape)), 1])


def first(x):
    return tf.transpose(x, [0, len(x.shape) - 1, *range(1, len(x.shape) - 1)])


def around(x, pads, value=0.0):
    """Padded, channels last; `pads` as ONNX orders them."""
    sides = [*zip(pads[: len(pads) // 2], pads[len(pads) // 2 :])]
    return tf.pad(x, [(0, 0), *sides, (0, 0)], constant_values=value) if any(pads) else x


def flat(function):
    """Of one dimension: as of two, the first of size 1."""

    def run(x, *more, strides, pads, dilations, **attributes):
        if len(strides) > 1:
            return function(x, *more, strides=strides, pads=pads, dilations=dilations, **attributes)
        x, *more = (tf.expand_dims(v, 2) if len(v.shape) == 3 else v for v in (x, *more))
        out = function(
            x,
            *more,
            strides=[1, *strides],
            pads=[0, pads[0], 0, pads[1]],
            dilations=[1, *dilations],
            **{k: [1, *v] if k == "kernel_shape" else v for k, v in attributes.items()},
        )
        return tf.squeeze(out, 2)

    return run


@node("Conv")
@flat
def conv(x, weight, bias=None, *, strides, pads, dilations, group=1):
    need(0 not in (*x.shape, *weight.shape), "no elements")
    x, dims = last(x), len(strides)
    many, inner, *kernel = weight.shape
    if group > 1 and inner == 1 and dims == 2 and set(dilations) == {1} and len(set(strides)) == 1:
        factors = tf.reshape(weight, [group, many // group, *kernel])
        out = tf.nn.depthwise_conv2d(
            around(x, pads), tf.transpose(factors, [2, 3, 0, 1]), [1, *strides, 1], "VALID"
        )
    else:
        factors = tf.transpose(weight, [*range(2, dims + 2), 1, 0])
        run = {2: tf.nn.conv2d, 3: tf.nn.conv3d}[dims]
        padding = "VALID"
        if dims == 2:
            padding = [[0, 0], *map(list, zip(pads[:2], pads[2:])), [0, 0]]
        else:
            x = around(x, pads)

        def product(x, factors):
            return run(x, factors, [1, *strides, 1], padding, dilations=[1, *dilations, 1])

        if group == 1 or dims == 2:
            out = product(x, factors)
        else:
            pairs = zip(tf.split(x, group, -1), tf.split(factors, group, -1))
            out = tf.concat([product(*pair) for pair in pairs], -1)
    return first(out if bias is None else tf.nn.bias_add(out, bias))


def pool(name, x, kernel, strides):
    run = getattr(tf.nn, f"{name}_pool{len(kernel)}d")
    return run(x, [1, *kernel, 1], [1, *strides, 1], "VALID")


@node("MaxPool")
@flat
def max_pool(x, *, kernel_shape, strides, pads, dilations):
    need(set(dilations) == {1}, "dilated windows")
    need(0 not in x.shape, "no elements")
    return first(pool("max", around(last(x), pads, like(x, -INF)), kernel_shape, strides))


@node("AveragePool")
@flat
def average_pool(x, *, kernel_shape, strides, pads, dilations, count_include_pad=0):
    need(0 not in x.shape, "no elements")
    out = pool("avg", around(last(x), pads, like(x, 0)), kernel_shape, strides)
    if any(pads) and not count_include_pad:
        ones = np.ones([1, *x.shape[2:], 1], "float32")
        ones = np.pad(ones, [(0, 0), *zip(pads[: len(pads) // 2], pads[len(pads) // 2 :]), (0, 0)])
        windows = np.lib.stride_tricks.sliding_window_view(ones[0, ..., 0], kernel_shape)
        windows = windows[tuple(slice(None, None, s) for s in strides)]
        share = windows.mean(tuple(range(-len(kernel_shape), 0)))
        out = out / share.astype(dtype_of(x))[None, ..., None]
    return first(out)
