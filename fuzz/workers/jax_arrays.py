"""JAX's arrays under ATen's rules."""

import math
import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false")

import jax
import jax.numpy as jnp
import numpy as np
from aten_arrays import Library
from jax import lax

jax.config.update("jax_enable_x64", True)


class Jax(Library):
    np, array = jnp, jax.Array
    erf = staticmethod(lax.erf)

    def number(self, v, dtype):
        return jnp.asarray(np.asarray(v).astype(jnp.dtype(dtype)))

    numbers = number

    def matmul(self, a, b):
        return jnp.matmul(a, b, precision="highest")

    def mean_of(self, x, axis, keepdims=False):
        return jnp.sum(x, axis, keepdims=keepdims) / math.prod(x.shape[d] for d in axis)

    def sigmoid(self, x):
        return 1 / (1 + lax.exp(-x))


JAX = Jax()
OPS, op, check = JAX.ops, JAX.op, JAX.check
is_tensor, number, to, zero, where = JAX.is_tensor, JAX.number, JAX.to, JAX.zero, JAX.where
