"""MLX 0.32.4: a mean of integers sums them in their dtype, and overflows. Silent.

Found by: values by hand, each function against NumPy. Exits 77 while it lives.
"""

import sys

import mlx.core as mx

mx.set_default_device(mx.cpu)
expected, got = 2.0**30, mx.mean(mx.array([2**30] * 4, dtype=mx.int32)).item()
print(f"MLX {mx.__version__}: expected {expected}, got {got}")
sys.exit(77 if got != expected else 0)
