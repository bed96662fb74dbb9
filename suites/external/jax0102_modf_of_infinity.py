"""jax, with jit and without, 0.10.2: the fraction that modf gives for infinity is NaN, not 0.
Silent.

Found by: values by hand, each function against SciPy and NumPy. Exits 77 while it lives.
"""

import sys

import jax
import jax.numpy as jnp
import numpy as np

x = np.array([np.inf, -np.inf, 2.5], "float32")
expected, got = np.modf(x)[0].tolist(), jax.jit(jnp.modf)(x)[0].tolist()
print(f"jax {jax.__version__}: expected {expected}, got {got}")
sys.exit(77 if got != expected else 0)
