"""MLX 0.32.4: the gradients of log10 and log2 in float64 have a constant of 32 bits. Silent.

Found by: campaign. Exits 77 while it lives.
"""

import math
import sys

import mlx.core as mx

mx.set_default_device(mx.cpu)
expected, got = 1 / (0.3 * math.log(10)), mx.grad(mx.log10)(mx.array(0.3, dtype=mx.float64)).item()
print(f"MLX {mx.__version__}: expected {expected}, got {got}")
sys.exit(77 if abs(got / expected - 1) > 1e-12 else 0)
