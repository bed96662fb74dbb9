"""torch.vmap, 2.13.0: slice_scatter with end=-1 raises that bounds are inconsistent, past the
last element that the index is too large; without vmap both are as in a slice.

Found by: operators over two different batches, one by one (results/found.md). Exits 77 while it
lives.
"""

import sys

import torch


def f(x, y):
    return x.slice_scatter(y, 0, 0, -1)


x = torch.zeros(2, 3)
y = torch.ones(2, 2)
expected = [f(*row) for row in zip(x, y)]
try:
    got = torch.vmap(f)(x, y)
except (RuntimeError, IndexError) as e:
    got = f"{type(e).__name__}: {str(e).splitlines()[0]}"
print(f"torch {torch.__version__}: expected {expected}, got {got}")
sys.exit(77 if isinstance(got, str) else 0)
