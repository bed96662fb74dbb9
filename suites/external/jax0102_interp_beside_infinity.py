"""jax, with jit and without, 0.10.2: interp is NaN at a point beside an infinite one. Silent.

Found by: values by hand, each function against
SciPy and NumPy. Exits 77 while it
lives.
"""

import sys

import jax
import jax.numpy as jnp
import numpy as np

x = np.array([1, 2, 3], "float32")
y = np.array([1, np.inf, 3], "float32")
expected, got = np.interp(x, x, y).tolist(), jax.jit(jnp.interp)(x, x, y).tolist()
print(f"jax {jax.__version__}: expected {expected}, got {got}")
sys.exit(77 if got != expected else 0)
