"""torch.compile, Dynamo, 2.13.0: `f"{n / 3:.2f}"` of a dynamic integer: an internal error.
pytorch#197093.

Found by: a program by hand. Exits 77 while it lives.
"""

import sys

import torch


def f(x, n):
    return x + 1, f"{n / 3:.2f}"


x = torch.zeros(1)
expected = f(x, 7)[1]
try:
    actual = torch.compile(f, backend="eager", dynamic=True)(x, 7)[1]
except Exception as e:
    actual = f"{type(e).__name__}: {str(e).strip().splitlines()[0]}"
print(f"torch {torch.__version__}: expected {expected!r}, got {actual!r}")
sys.exit(0 if repr(actual) == repr(expected) else 77)
