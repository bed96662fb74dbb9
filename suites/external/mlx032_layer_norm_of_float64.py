"""MLX 0.32.4, CPU: mx.fast.layer_norm and rms_norm of float64 are computed in 32 bits. Silent.

Found by: values by hand, each function against NumPy. Exits 77 while it lives.
"""

import sys

import mlx.core as mx
import numpy as np

mx.set_default_device(mx.cpu)
x = np.array([[0.1, 0.2, 0.7]])
expected = (x - x.mean()) / np.sqrt(x.var() + 1e-5)
got = np.array(mx.fast.layer_norm(mx.array(x, dtype=mx.float64), None, None, 1e-5))
print(f"MLX {mx.__version__}: expected {expected}, got {got}")
sys.exit(77 if not np.allclose(got, expected, rtol=1e-12, atol=0) else 0)
