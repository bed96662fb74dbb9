"""jax, with jit and without, 0.10.2: spence of 1e38 is NaN. jax-ml/jax#40652. Silent.

Found by: values by hand, each function against
SciPy and NumPy. Exits 77 while it
lives.
"""

import sys

import jax
import jax.numpy as jnp

x = jnp.array([1e38], "float32")
expected, got = -3829.6153, jax.jit(jax.scipy.special.spence)(x).item()
print(f"jax {jax.__version__}: expected {expected}, got {got}")
sys.exit(77 if got != got else 0)
