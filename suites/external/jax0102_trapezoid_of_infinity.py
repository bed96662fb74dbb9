"""jax, with jit and without, 0.10.2: trapezoid is NaN where the first or last value is inf. Silent.

Found by: values by hand, each function against
SciPy and NumPy. Exits 77 while it
lives.
"""

import sys

import jax
import jax.numpy as jnp
import numpy as np

y = np.array([np.inf, 1, 2], "float32")
expected, got = np.trapezoid(y).item(), jax.jit(jnp.trapezoid)(y).item()
print(f"jax {jax.__version__}: expected {expected}, got {got}")
sys.exit(77 if got != expected else 0)
