"""mx.compile 0.32.4, CPU: the constant -0.0 becomes 0, since the C++ that is made has -0. Silent.

Found by: program by hand. Exits 77 while it lives.
"""

import sys

import mlx.core as mx

mx.set_default_device(mx.cpu)


def f(x):
    return 1 / (abs(x) * mx.array(-0.0))


x = mx.array([1.0, 2.0])
expected, got = f(x).tolist(), mx.compile(f)(x).tolist()
print(f"MLX {mx.__version__}: expected {expected}, got {got}")
sys.exit(77 if got != expected else 0)
