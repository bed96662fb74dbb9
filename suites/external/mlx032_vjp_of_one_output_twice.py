"""MLX 0.32.4: of two outputs that are one array, mx.vjp takes one gradient and loses the other.
Silent.

Found by: campaign. Exits 77 while it lives.
"""

import sys

import mlx.core as mx

mx.set_default_device(mx.cpu)


def f(x):
    y = 2 * x
    return [y, y]


_, (got,) = mx.vjp(f, [mx.array(1.0)], [mx.array(1.0), mx.array(2.0)])
expected, got = 6.0, got.item()
print(f"MLX {mx.__version__}: expected {expected}, got {got}")
sys.exit(77 if got != expected else 0)
