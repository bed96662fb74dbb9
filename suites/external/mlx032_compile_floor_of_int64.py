"""mx.compile 0.32.4, CPU: floor, ceil and round of int64 go through doubles. Silent.

Found by: a loop over operators and dtypes. Exits 77 while it lives.
"""

import sys

import mlx.core as mx

mx.set_default_device(mx.cpu)


def f(x):
    return mx.floor(x) - 1


x = mx.array([2**53 + 1], dtype=mx.int64)
expected, got = f(x).tolist(), mx.compile(f)(x).tolist()
print(f"MLX {mx.__version__}: expected {expected}, got {got}")
sys.exit(77 if got != expected else 0)
