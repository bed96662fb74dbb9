"""MLX 0.32.4: a gradient goes through astype to integers and back: that of int(x) is 1. Silent.

Found by: campaign. Exits 77 while it lives.
"""

import sys

import mlx.core as mx

mx.set_default_device(mx.cpu)
expected, got = 2.0, mx.grad(lambda x: x.astype(mx.int32) * x)(mx.array(2.5)).item()
print(f"MLX {mx.__version__}: expected {expected}, got {got}")
sys.exit(77 if got != expected else 0)
