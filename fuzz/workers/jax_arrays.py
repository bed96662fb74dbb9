"""JAX's arrays under ATen's rules: conversion, promotion, and what both make of 16-bit floats."""

import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false")

import jax
import jax.numpy as jnp
import numpy as np
from aten import common_dtype, kind, need, wide

jax.config.update("jax_enable_x64", True)

OPS = {}


def op(*names):
    def add(function):
        OPS.update(dict.fromkeys(names, function))
        return function

    return add


def is_tensor(v):
    return isinstance(v, jax.Array)


def number(v, dtype):
    """A plain number in a dtype: ints wrap, as ATen's do."""
    return jnp.asarray(np.asarray(v).astype(jnp.dtype(dtype)))


def to(v, dtype):
    """Conversion of an array; what no integer holds is nobody's promise."""
    return v.astype(dtype) if is_tensor(v) else number(v, dtype)


def common(*operands):
    return common_dtype(
        [(str(o.dtype), o.ndim) if is_tensor(o) else o for o in operands if o is not None]
    )


def in_float(function, promote=True, silent=0):
    """Computed in floats; integers become float32. The last `silent` arguments take no part in
    promotion."""

    def run(*args, **named):
        deciding = args[: len(args) - silent] if silent else args
        dtype = common(*deciding)
        if kind(dtype) < 2:
            need(promote, "integers")
            dtype = "float32"
        out = function(*[None if a is None else to(a, wide(dtype)) for a in args], **named)
        return out.astype(dtype)

    return run


def in_common(function, bools=True, integers=None):
    """Computed in the operands' common dtype; `integers` is the formula for those."""

    def run(*args, **named):
        dtype = common(*args)
        need(bools or dtype != "bool", "bools")
        chosen = integers if integers and kind(dtype) < 2 else function
        return chosen(*[to(a, wide(dtype)) for a in args], **named).astype(dtype)

    return run


def test(function):
    def run(*args):
        dtype = wide(common(*args))
        return function(*[to(a, dtype) for a in args])

    return run


def zero(x):
    return number(0, x.dtype)


def where(c, a, b):
    return jnp.where(c, a, b)


def clip_between(x, low, high):
    return where(where(x < low, low, x) > high, high, where(x < low, low, x))


# of the call being traced: what ATen raises for and JAX does not, and what nobody promises
CHECKS = []


def check(bad, why):
    """A call with an element for which `bad` holds is declined, once it has run."""
    CHECKS.append((jnp.any(bad), why))
