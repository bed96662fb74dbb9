"""MLX 0.32.4: the gradient of 0 ** 0 by its base is NaN. Silent.

Found by: a loop over operators, gradients against differences. Exits 77 while it lives.
"""

import sys

import mlx.core as mx

mx.set_default_device(mx.cpu)
expected, got = 0.0, mx.grad(lambda x: mx.power(x, 0))(mx.array(0.0)).item()
print(f"MLX {mx.__version__}: expected {expected}, got {got}")
sys.exit(77 if got != expected else 0)
