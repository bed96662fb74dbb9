"""jax.jit, XLA's CPU back end, 0.10.2: a mask times inf or nan is 0, not nan. Silent.

Found by: programs written by hand for XLA's rewrites; blame: jit (XLA's algebraic simplifier).
Exits 77 while it lives.
"""

import sys

import jax
import jax.numpy as jnp

f = lambda mask, x: mask.astype("float32") * x
args = jnp.array([False, False]), jnp.array([float("inf"), float("nan")], "float32")
with jax.disable_jit():
    eager = f(*args)
jitted = jax.jit(f)(*args)
print(f"jax {jax.__version__}: expected {eager.tolist()}, got {jitted.tolist()}")
sys.exit(0 if jnp.array_equal(eager, jitted, equal_nan=True) else 77)
