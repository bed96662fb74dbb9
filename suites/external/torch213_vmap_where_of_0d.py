"""torch.vmap, 2.13.0: where(mask, x, y) with a y of 0-d and float64 is float64; without vmap it
is float32, as a 0-d tensor's dtype does not count beside x's. In the batch it has a dimension.
Silent.

Found by: operators over two different batches, one by one (results/found.md). Exits 77 while it
lives.
"""

import sys

import torch


def f(x, y):
    return torch.where(x > 0, x, y)


x = torch.randn(2, 3)
y = torch.zeros(2, dtype=torch.float64)
each, got = [f(*row) for row in zip(x, y)], torch.vmap(f)(x, y)
expected, got = [r.dtype for r in each], [r.dtype for r in got]
print(f"torch {torch.__version__}: expected {expected}, got {got}")
sys.exit(77 if str(got) != str(expected) else 0)
