"""jax, with jit and without, 0.10.2: exp2 of bfloat16 is 5 % off, exp2(20) is 995328. Silent.

Found by: values by hand, each function against
SciPy and NumPy. Exits 77 while it
lives.
"""

import sys

import jax
import jax.numpy as jnp

x = jnp.array([20, -80], jnp.bfloat16)
expected, got = [2.0**20, 2.0**-80], jax.jit(jnp.exp2)(x).astype("float32").tolist()
print(f"jax {jax.__version__}: expected {expected}, got {got}")
sys.exit(77 if abs(got[0] / expected[0] - 1) > 0.01 else 0)
