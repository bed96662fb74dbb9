"""torch.compile, inductor, 2.13.0: prod with dtype=torch.bool ends in an AssertionError of the
compiler; eager runs it.

Found by: values near zero, huge, infinite and NaN through every op, 40 ops a compile
(results/found.md). Exits 77 while it lives.
"""

import sys

import torch


def f(x):
    return torch.prod(x, dim=-1, dtype=torch.bool)


x = torch.arange(36.0).reshape(4, 9)
try:
    actual = torch.compile(f)(x)
except Exception as e:
    actual = f"{type(e).__name__}: {str(e).splitlines()[0]}"
print(f"torch {torch.__version__}: expected {f(x)}, got {actual}")
sys.exit(77 if isinstance(actual, str) else 0)
