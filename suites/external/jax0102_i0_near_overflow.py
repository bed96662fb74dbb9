"""jax, with jit and without, 0.10.2: i0 and i1 of 89 to 91 are inf. jax-ml/jax#39771,
jax-ml/jax#39772. Silent.

Found by: values by hand, each function against SciPy and NumPy. Exits 77 while it lives.
"""

import sys

import jax
import jax.numpy as jnp

x = jnp.array([89], "float32")
expected = 1.9012419e37, 1.8905305e37
got = [jax.jit(f)(x).item() for f in (jax.scipy.special.i0, jax.scipy.special.i1)]
print(f"jax {jax.__version__}: expected {expected}, got {got}")
sys.exit(77 if got == [float("inf")] * 2 else 0)
