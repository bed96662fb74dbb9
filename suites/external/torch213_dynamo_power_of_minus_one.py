"""torch.compile, Dynamo, 2.13.0: `(-1) ** n`, compiled for n = 7, is -1 for n = 100 too. Silent.

Found by: a program by hand. Exits 77 while it lives.
"""

import sys

import torch


def f(x, n):
    return x + 1, (-1) ** n


x = torch.zeros(1)
compiled = torch.compile(f, backend="eager", dynamic=True)
compiled(x, 7)
expected = f(x, 100)[1]
actual = compiled(x, 100)[1]
print(f"torch {torch.__version__}: expected {expected!r}, got {actual!r}")
sys.exit(0 if repr(actual) == repr(expected) else 77)
