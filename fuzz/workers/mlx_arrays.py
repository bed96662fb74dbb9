"""MLX's arrays under ATen's rules, and their bytes."""

import math

import mlx.core as mx
import numpy as np
from aten import kind, need
from aten_arrays import Library
from fusillade_worker import ITEM_SIZE

DTYPE = {name: getattr(mx, "bool_" if name == "bool" else name) for name in ITEM_SIZE}
BITS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


class Mlx(Library):
    np, array = mx, mx.array
    least_of_products = 2
    matmul = staticmethod(mx.matmul)

    def dtype(self, name):
        return DTYPE[name]

    def dtype_of(self, x):
        return str(x.dtype).removeprefix("mlx.core.")

    def cast(self, x, dtype):
        """MLX gives a gradient through integers (mlx032_gradient_through_integers.py). It is
        stopped here, since no mute list can say so: whatever a program consists of, its gradient is
        wrong, and its message is that of every wrong result."""
        if kind(dtype) < 2 and kind(self.dtype_of(x)) == 2:
            x = mx.stop_gradient(x)
        return x.astype(DTYPE[dtype])

    def number(self, v, dtype):
        if dtype == "bfloat16":
            return mx.array(float(v), dtype=mx.bfloat16)
        v = np.asarray(v).astype(dtype)
        return mx.array(v.item(), dtype=DTYPE[dtype])

    def numbers(self, values, dtype):
        return mx.stack([self.number(v, dtype) for v in values])

    def nothing(self, x):
        return self.zero(x)

    def clip_between(self, x, low, high):
        low, high = (
            v if self.is_tensor(v) else self.number(v, self.dtype_of(x)) for v in (low, high)
        )
        return super().clip_between(x, low, high)

    def total(self, x, axis, keepdims=False):
        return mx.sum(x, axis=axis, keepdims=keepdims) if axis else x

    def mean_of(self, x, axis, keepdims=False):
        n = math.prod(x.shape[d] for d in axis)
        return self.total(x, axis, keepdims) / self.number(n, self.dtype_of(x))

    def erf(self, x):
        return in_32_bits(mx.erf)(x)

    def sigmoid(self, x):
        return in_32_bits(mx.sigmoid)(x)


MLX = Mlx()
OPS, op, check = MLX.ops, MLX.op, MLX.check
cast, dtype_of, is_tensor, number = MLX.cast, MLX.dtype_of, MLX.is_tensor, MLX.number
to, total, where, zero = MLX.to, MLX.total, MLX.where, MLX.zero


def no_doubles(dtype):
    need(dtype != "float64", "float64, which MLX computes in 32 bits there")


def in_32_bits(function):
    """Of what MLX computes so, of float64, too."""

    def run(x, *args, **named):
        no_doubles(dtype_of(x))
        return function(x, *args, **named)

    return run


def of_bytes(data, dtype):
    """An array of one dim: MLX reads integers, and sees them as floats."""
    if dtype == "bool":
        return mx.array(np.frombuffer(data, np.uint8) != 0)
    if dtype in ("float16", "bfloat16", "float32", "float64"):
        return mx.array(np.frombuffer(data, BITS[ITEM_SIZE[dtype]])).view(DTYPE[dtype])
    return mx.array(np.frombuffer(data, dtype))


def to_bytes(x):
    if not x.size:
        return b""
    dtype = dtype_of(x)
    x = mx.contiguous(x)
    if kind(dtype) == 2:
        x = x.view(getattr(mx, f"uint{8 * ITEM_SIZE[dtype]}"))
    return np.array(x).tobytes()
