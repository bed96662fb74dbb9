"""jax.jit, XLA's CPU back end, 0.10.2: (a / b) / c becomes a / (b * c), which overflows. Silent.

Found by: programs written by hand for XLA's rewrites; blame: jit (XLA's algebraic simplifier).
Exits 77 while it lives.
"""

import sys

import jax
import jax.numpy as jnp

f, args = lambda a, b, c: (a / b) / c, [jnp.array([1e30], "float32")] * 3
with jax.disable_jit():
    eager = f(*args)
jitted = jax.jit(f)(*args)
print(f"jax {jax.__version__}: expected {eager.tolist()}, got {jitted.tolist()}")
sys.exit(0 if jnp.array_equal(eager, jitted, equal_nan=True) else 77)
