"""torch.vmap, 2.13.0: index_copy by a 0-d index raises that the index is too large; without vmap
it copies one element.

Found by: operators over two different batches, one by one (results/found.md). Exits 77 while it
lives.
"""

import sys

import torch


def f(x, i, y):
    return x.index_copy(0, i, y)


x = torch.zeros(2, 3)
i = torch.tensor([0, 2])
y = torch.ones(2)
expected = [f(*row) for row in zip(x, i, y)]
try:
    got = torch.vmap(f)(x, i, y)
except (RuntimeError, IndexError) as e:
    got = f"{type(e).__name__}: {str(e).splitlines()[0]}"
print(f"torch {torch.__version__}: expected {expected}, got {got}")
sys.exit(77 if isinstance(got, str) else 0)
