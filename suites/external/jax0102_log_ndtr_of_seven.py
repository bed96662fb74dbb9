"""jax, with jit and without, 0.10.2: log_ndtr of doubles between 5 and 8 has half its digits.
Silent.

Found by: values by hand, each function against SciPy and NumPy. Exits 77 while it lives.
"""

import sys

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)
x = jnp.array([7.0])
expected, got = -1.2798125438866539e-12, jax.jit(jax.scipy.special.log_ndtr)(x).item()
print(f"jax {jax.__version__}: expected {expected}, got {got}")
sys.exit(77 if abs(got / expected - 1) > 1e-6 else 0)
