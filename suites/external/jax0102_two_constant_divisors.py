"""jax.jit, XLA's CPU back end, 0.10.2: inf / 1e30 / 1e30 is nan, 1e38 / 1e30 / 1e30 is 0: the
constants are multiplied. Silent.

Found by: programs written by hand for XLA's rewrites; blame: jit (XLA's algebraic simplifier).
Exits 77 while it lives.
"""

import sys

import jax
import jax.numpy as jnp

f, args = (
    lambda x: x / jnp.float32(1e30) / jnp.float32(1e30),
    [jnp.array([float("inf"), 1e38], "float32")],
)
with jax.disable_jit():
    eager = f(*args)
jitted = jax.jit(f)(*args)
print(f"jax {jax.__version__}: expected {eager.tolist()}, got {jitted.tolist()}")
sys.exit(0 if jnp.array_equal(eager, jitted, equal_nan=True) else 77)
