"""torch.compile, Dynamo, 2.13.0: `round(n, -1)` of a dynamic integer is n. Silent.

Found by: a program by hand. Exits 77 while it lives.
"""

import sys

import torch


def f(x, n):
    return x + 1, round(n, -1)


x = torch.zeros(1)
expected = f(x, 7)[1]
actual = torch.compile(f, backend="eager", dynamic=True)(x, 7)[1]
print(f"torch {torch.__version__}: expected {expected!r}, got {actual!r}")
sys.exit(0 if repr(actual) == repr(expected) else 77)
