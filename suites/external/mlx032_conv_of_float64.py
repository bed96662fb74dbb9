"""MLX 0.32.4, CPU: a convolution of float64 is computed in 32 bits. Silent.

Found by: campaign. Exits 77 while it lives.
"""

import sys

import mlx.core as mx

mx.set_default_device(mx.cpu)
x = mx.array([0.1, 0.2], dtype=mx.float64).reshape(1, 2, 1)
w = mx.array([0.1, 0.7], dtype=mx.float64).reshape(1, 2, 1)
expected, got = 0.1 * 0.1 + 0.2 * 0.7, mx.conv1d(x, w).item()
print(f"MLX {mx.__version__}: expected {expected}, got {got}")
sys.exit(77 if abs(got - expected) > 1e-12 else 0)
