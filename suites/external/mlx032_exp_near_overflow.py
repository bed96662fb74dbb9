"""MLX 0.32.4, CPU: exp of more than 88 is infinite, and 0 below -88; log of the largest float32 is
88.72. Silent.

Found by: values by hand, each function against NumPy. Exits 77 while it lives.
"""

import sys

import mlx.core as mx
import numpy as np

mx.set_default_device(mx.cpu)
x = np.array([88.5], "float32")
expected, got = np.exp(x), np.array(mx.exp(mx.array(x)))
print(f"MLX {mx.__version__}: expected {expected}, got {got}")
sys.exit(77 if not np.allclose(got, expected, rtol=1e-3) else 0)
