"""ATen's products of matrices, convolutions, pools, norms and losses in ONNX."""

import numpy as np
from aten import kind, need, several, wide
from onnx_graph import OPS, add, div, emit, is_tensor, like, mul, node, op, sub, to
from onnx_tensors import check_no_nan, pieces, reduce_dims, squeeze_dims, transpose_dims, unsqueeze

# ---- matrices


def product(function):
    def run(*args, **named):
        dtype = next(a for a in args if is_tensor(a)).dtype
        need(
            dtype != "bool" and all(not is_tensor(a) or a.dtype == dtype for a in args),
            "mixed dtypes",
        )
        args = [to(a, wide(dtype)) if is_tensor(a) else a for a in args]
        named = {k: to(a, wide(dtype)) if is_tensor(a) else a for k, a in named.items()}
        return to(function(*args, **named), dtype)

    return run


def matmul(a, b):
    left = (1,) + a.shape if a.ndim == 1 else a.shape
    right = b.shape + (1,) if b.ndim == 1 else b.shape
    if not left or not right or left[-1] != right[-2]:
        raise RuntimeError(f"no product of {a.shape} and {b.shape}")
    shape = (
        np.broadcast_shapes(left[:-2], right[:-2])
        + (() if a.ndim == 1 else left[-2:-1])
        + (() if b.ndim == 1 else right[-1:])
    )
    return emit("MatMul", [a, b], a.dtype, shape)


def scale(x, factor):
    return x if factor == 1 else mul(like(x, factor), x)


def add_product(bias, a, b, beta=1, alpha=1):
    out = scale(matmul(a, b), alpha)
    return out if beta == 0 else add(scale(bias, beta), out)


def gemm(bias, a, b, beta=1, alpha=1):
    need(beta != 0 and kind(a.dtype) == 2, "what Gemm has not")
    return emit(
        "Gemm",
        [a, b, bias],
        a.dtype,
        (a.shape[0], b.shape[1]),
        alpha=float(alpha),
        beta=float(beta),
    )


def linear(x, weight, bias=None):
    out = matmul(x, transpose_dims(weight, range(weight.ndim)[::-1]))
    return out if bias is None else add(out, bias)


OPS.update(
    {
        **dict.fromkeys(
            ("mm.default", "bmm.default", "mv.default", "dot.default", "matmul.default"),
            product(matmul),
        ),
        "addmm.default": product(gemm),
        "baddbmm.default": product(add_product),
        "addmv.default": product(add_product),
        "linear.default": product(linear),
        "outer.default": lambda a, b: OPS["mul.Tensor"](unsqueeze(a, 1), b),
    }
)


def window_sizes(x, dims, kernel, stride, pads, dilation):
    return [
        (n + 2 * p - d * (k - 1) - 1) // s + 1
        for n, k, s, p, d in zip(x.shape[x.ndim - dims :], kernel, stride, pads, dilation)
    ]


def convolution(dims):
    def run(x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
        need(not isinstance(padding, str) and kind(x.dtype) == 2 and x.numel, "a padding by name")
        y = unsqueeze(x, 0) if x.ndim == dims + 1 else x
        stride, pads, dilation = (
            several(stride, dims),
            several(padding, dims),
            several(dilation, dims),
        )
        shape = (
            y.shape[0],
            weight.shape[0],
            *window_sizes(y, dims, weight.shape[2:], stride, pads, dilation),
        )
        out = emit(
            "Conv",
            [v for v in (y, weight, bias) if v is not None],
            y.dtype,
            shape,
            strides=stride,
            pads=pads + pads,
            dilations=dilation,
            group=groups,
        )
        return squeeze_dims(out, [0]) if x.ndim == dims + 1 else out

    return product(run)


def pooling(dims, kind_):
    def run(x, kernel_size, stride=(), padding=0, dilation=1, ceil_mode=False, **named):
        need(not ceil_mode and kind(x.dtype) == 2, "windows that reach beyond the end")
        y = to(unsqueeze(x, 0) if x.ndim == dims + 1 else x, wide(x.dtype))
        if kind_ == "MaxPool":
            check_no_nan(y)
        kernel, pads, dilation = (several(v, dims) for v in (kernel_size, padding, dilation))
        stride = several(stride, dims) if stride not in ((), []) else kernel
        shape = y.shape[:2] + tuple(window_sizes(y, dims, kernel, stride, pads, dilation))
        out = emit(
            kind_,
            [y],
            y.dtype,
            shape,
            kernel_shape=kernel,
            strides=stride,
            pads=pads + pads,
            dilations=dilation,
            **named,
        )
        return to(squeeze_dims(out, [0]) if x.ndim == dims + 1 else out, x.dtype)

    return run


def average(dims):
    def run(
        x,
        kernel_size,
        stride=(),
        padding=0,
        ceil_mode=False,
        count_include_pad=True,
        divisor_override=None,
    ):
        need(divisor_override is None, "another divisor")
        return pooling(dims, "AveragePool")(
            x, kernel_size, stride, padding, 1, ceil_mode, count_include_pad=int(count_include_pad)
        )

    return run


for dims in (1, 2, 3):
    OPS[f"conv{dims}d.default"] = convolution(dims)
    OPS[f"max_pool{dims}d.default"] = pooling(dims, "MaxPool")
    OPS[f"avg_pool{dims}d.default"] = average(dims)

# ---- norms and losses, written out, as fusions look for them


def normal(x, dims, eps):
    away = sub(x, reduce_dims("ReduceMean", x, dims, True))
    variance = reduce_dims("ReduceMean", node("Pow", away, like(x, 2)), dims, True)
    return div(away, node("Sqrt", add(variance, like(x, eps))))


@op("layer_norm.default")
def layer_norm(x, normalized_shape, weight=None, bias=None, eps=1e-05, cudnn_enable=True):
    need(kind(x.dtype) == 2, "integers")
    w = wide(x.dtype)
    y = normal(to(x, w), tuple(range(x.ndim - len(normalized_shape), x.ndim)), eps)
    y = y if weight is None else mul(y, to(weight, w))
    return to(y if bias is None else add(y, to(bias, w)), x.dtype)


def loss(function):
    def run(x, target, reduction=1):
        need(
            kind(x.dtype) == 2 and x.dtype == target.dtype and x.shape == target.shape,
            "mixed dtypes",
        )
        out = function(to(x, wide(x.dtype)), to(target, wide(x.dtype)))
        kind_ = {1: "ReduceMean", 2: "ReduceSum"}.get(reduction)
        need(kind_ != "ReduceMean" or x.numel, "a mean of nothing")
        return to(reduce_dims(kind_, out, tuple(range(x.ndim)), False) if kind_ else out, x.dtype)

    return run


OPS["mse_loss.default"] = loss(lambda x, y: mul(sub(x, y), sub(x, y)))
OPS["l1_loss.default"] = loss(lambda x, y: node("Abs", sub(x, y)))


@op("glu.default")
def glu(x, dim=-1):
    need(kind(x.dtype) == 2, "integers")
    a, b = pieces(to(x, wide(x.dtype)), [x.shape[dim] // 2] * 2, dim)
    return to(mul(a, node("Sigmoid", b)), x.dtype)
