"""MLX 0.32.4, CPU: erf of small numbers is 0, its error is absolute. Silent.

Found by: values by hand, each function against NumPy. Exits 77 while it lives.
"""

import sys

import mlx.core as mx

mx.set_default_device(mx.cpu)
x = 1e-8
expected, got = 2 / 3.141592653589793**0.5 * x, mx.erf(mx.array(x)).item()
print(f"MLX {mx.__version__}: expected {expected}, got {got}")
sys.exit(77 if abs(got / expected - 1) > 1e-3 else 0)
