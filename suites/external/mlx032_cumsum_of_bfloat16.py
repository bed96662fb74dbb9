"""MLX 0.32.4, CPU: cumsum of bfloat16 stays at 256, of float16 at 2048. ml-explore/mlx#3907.
Silent.

Found by: values by hand, each function against NumPy. Exits 77 while it lives.
"""

import sys

import mlx.core as mx

mx.set_default_device(mx.cpu)
expected, got = 1024.0, mx.cumsum(mx.ones(1024, dtype=mx.bfloat16))[-1].item()
print(f"MLX {mx.__version__}: expected {expected}, got {got}")
sys.exit(77 if got != expected else 0)
