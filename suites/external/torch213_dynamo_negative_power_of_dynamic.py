"""torch.compile, Dynamo, 2.13.0: `n ** -1`, compiled for n = 7, raises for n = -7. `k ** 2` of a
float that became dynamic raises for a negative k: both meet `SymFloat.__pow__`, which checks that.

Found by: a program by hand. Exits 77 while it lives.
"""

import sys

import torch


def f(x, n):
    return x + 1, n**-1


x = torch.zeros(1)
compiled = torch.compile(f, backend="eager", dynamic=True)
compiled(x, 7)
expected = f(x, -7)[1]
try:
    actual = compiled(x, -7)[1]
except Exception as e:
    actual = f"{type(e).__name__}: {str(e).strip().splitlines()[0]}"
print(f"torch {torch.__version__}: expected {expected!r}, got {actual!r}")
sys.exit(0 if repr(actual) == repr(expected) else 77)
