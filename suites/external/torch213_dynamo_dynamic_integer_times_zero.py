"""torch.compile, Dynamo, 2.13.0: `n * 0.0` of a dynamic integer is 0.0 for negative numbers, in
CPython -0.0. Silent.

Found by: a program by hand. Exits 77 while it lives.
"""

import math
import sys

import torch


def f(x, n):
    return x + 1, math.copysign(1, n * 0.0)


x = torch.zeros(1)
expected = f(x, -7)[1]
actual = torch.compile(f, backend="eager", dynamic=True)(x, -7)[1]
print(f"torch {torch.__version__}: expected {expected!r}, got {actual!r}")
sys.exit(0 if repr(actual) == repr(expected) else 77)
