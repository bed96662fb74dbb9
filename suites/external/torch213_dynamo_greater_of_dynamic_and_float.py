"""torch.compile, Dynamo, 2.13.0: `max(n, 2.5)` of a dynamic integer 7 is the float 7.0. Silent.

Found by: a program by hand. Exits 77 while it lives.
"""

import sys

import torch


def f(x, n):
    return x + 1, max(n, 2.5)


x = torch.zeros(1)
expected = f(x, 7)[1]
actual = torch.compile(f, backend="eager", dynamic=True)(x, 7)[1]
print(f"torch {torch.__version__}: expected {expected!r}, got {actual!r}")
sys.exit(0 if repr(actual) == repr(expected) else 77)
