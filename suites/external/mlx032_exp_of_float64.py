"""MLX 0.32.4, CPU: exp, sin, cos, erf and erfinv of float64 are computed in 32 bits.
ml-explore/mlx#3047. Silent.

Found by: values by hand, each function against NumPy. Exits 77 while it lives.
"""

import sys

import mlx.core as mx
import numpy as np

mx.set_default_device(mx.cpu)
x = np.array([100.0, -100.0, 0.1])
expected, got = np.exp(x), np.array(mx.exp(mx.array(x, dtype=mx.float64)))
print(f"MLX {mx.__version__}: expected {expected}, got {got}")
sys.exit(77 if not np.allclose(got, expected, rtol=1e-12, atol=0) else 0)
