"""jax, with jit and without, 0.10.2: the median of three large numbers is inf. Silent.

Found by: values by hand, each function against
SciPy and NumPy. Exits 77 while it
lives.
"""

import sys

import jax
import jax.numpy as jnp

x = jnp.array([1e38, 3e38, 3.2e38], "float32")
expected, got = x[1].item(), jax.jit(jnp.median)(x).item()
print(f"jax {jax.__version__}: expected {expected}, got {got}")
sys.exit(77 if got != expected else 0)
