"""jax, with jit and without, 0.10.2: gamma of bfloat16 is 4 % off, it is exp of a logarithm of 8
bits. Silent.

Found by: values by hand, each function against SciPy and NumPy. Exits 77 while it lives.
"""

import sys

import jax
import jax.numpy as jnp

x = jnp.array([2.0**-27], jnp.bfloat16)
expected, got = 2.0**27, jax.jit(jax.scipy.special.gamma)(x).astype("float32").item()
print(f"jax {jax.__version__}: expected {expected}, less 0.6, got {got}")
sys.exit(77 if abs(got / expected - 1) > 0.01 else 0)
