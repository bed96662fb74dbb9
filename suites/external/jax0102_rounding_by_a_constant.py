"""jax.jit, XLA's CPU back end, 0.10.2: (x + c) - c, which rounds x to a whole number, becomes x.
Silent.

Found by: programs written by hand for XLA's rewrites; blame: jit (XLA's algebraic simplifier).
Exits 77 while it lives.
"""

import sys

import jax
import jax.numpy as jnp

c = jnp.float32(1.5 * 2**23)
f, args = lambda x: (x + c) - c, [jnp.array([0.25, 2.75], "float32")]
with jax.disable_jit():
    eager = f(*args)
jitted = jax.jit(f)(*args)
print(f"jax {jax.__version__}: expected {eager.tolist()}, got {jitted.tolist()}")
sys.exit(0 if jnp.array_equal(eager, jitted, equal_nan=True) else 77)
