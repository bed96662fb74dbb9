"""MLX 0.32.4: the sum of a mean of float16 is rounded to float16, and overflows. Silent.

Found by: values by hand, each function against NumPy. Exits 77 while it lives.
"""

import sys

import mlx.core as mx

mx.set_default_device(mx.cpu)
expected, got = 60000.0, mx.mean(mx.array([60000.0, 60000.0], dtype=mx.float16)).item()
print(f"MLX {mx.__version__}: expected {expected}, got {got}")
sys.exit(77 if got != expected else 0)
