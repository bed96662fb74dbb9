"""jax, with jit and without, 0.10.2: lgamma of float32 near 1 and 2 has few digits or none.
jax-ml/jax#21284. Silent.

Found by: values by hand, each function against SciPy and NumPy. Exits 77 while it lives.
"""

import sys

import jax
import jax.numpy as jnp

x = jnp.array([1 - 2**-23, 2 + 2**-13], "float32")
expected, got = [6.8809485e-08, 5.1612e-05], jax.jit(jax.lax.lgamma)(x).tolist()
print(f"jax {jax.__version__}: expected {expected}, got {got}")
sys.exit(77 if got[0] > 2 * expected[0] else 0)
