"""MLX's arrays under ATen's rules: conversion, promotion, and what both make of 16-bit floats."""

import mlx.core as mx
import numpy as np
from aten import common_dtype, kind, need, wide
from fusillade_worker import ITEM_SIZE

DTYPE = {name: getattr(mx, "bool_" if name == "bool" else name) for name in ITEM_SIZE}
BITS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
OPS = {}


def op(*names):
    def add(function):
        OPS.update(dict.fromkeys(names, function))
        return function

    return add


def is_tensor(v):
    return isinstance(v, mx.array)


def dtype_of(x):
    return str(x.dtype).removeprefix("mlx.core.")


def cast(x, dtype):
    """MLX gives a gradient through integers; there is none."""
    if kind(dtype) < 2 and kind(dtype_of(x)) == 2:
        x = mx.stop_gradient(x)
    return x.astype(DTYPE[dtype])


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


def number(v, dtype):
    """A plain number in a dtype: ints wrap, as ATen's do."""
    if dtype == "bfloat16":
        return mx.array(float(v), dtype=mx.bfloat16)
    v = np.asarray(v).astype(dtype)
    return mx.array(v.item(), dtype=DTYPE[dtype])


def to(v, dtype):
    """Conversion of an array; what no integer holds is nobody's promise."""
    return cast(v, dtype) if is_tensor(v) else number(v, dtype)


def common(*operands):
    return common_dtype(
        [(dtype_of(o), o.ndim) if is_tensor(o) else o for o in operands if o is not None]
    )


def no_doubles(dtype):
    need(dtype != "float64", "float64, which MLX computes in 32 bits there")


def in_float(function, promote=True, silent=0, doubles=True, halves=False):
    """Computed in floats; integers become float32. The last `silent` arguments take no part in
    promotion. `halves`: one step, which MLX itself takes in 16 bits."""

    def run(*args, **named):
        deciding = args[: len(args) - silent] if silent else args
        dtype = common(*deciding)
        if kind(dtype) < 2:
            need(promote, "integers")
            dtype = "float32"
        if not doubles:
            no_doubles(dtype)
        inner = dtype if halves else wide(dtype)
        out = function(*[None if a is None else to(a, inner) for a in args], **named)
        return cast(out, dtype)

    return run


def in_common(function, bools=True, integers=None, halves=False):
    """Computed in the operands' common dtype; `integers` is the formula for those."""

    def run(*args, **named):
        dtype = common(*args)
        need(bools or dtype != "bool", "bools")
        chosen = integers if integers and kind(dtype) < 2 else function
        inner = dtype if halves else wide(dtype)
        return cast(chosen(*[to(a, inner) for a in args], **named), dtype)

    return run


def test(function):
    def run(*args):
        dtype = common(*args)
        return function(*[to(a, dtype) for a in args])

    return run


def zero(x):
    return number(0, dtype_of(x))


def where(c, a, b):
    return mx.where(c, a, b)


def clip_between(x, low, high):
    low, high = (v if is_tensor(v) else number(v, dtype_of(x)) for v in (low, high))
    return where(where(x < low, low, x) > high, high, where(x < low, low, x))


# of the call that runs: what ATen raises for and MLX does not, and what nobody promises
CHECKS = []


def check(bad, why):
    """A call with an element for which `bad` holds is declined, once it has run."""
    CHECKS.append((mx.any(bad), why))
