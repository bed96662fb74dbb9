"""torch.vmap, 2.13.0: index_select by a 0-d index, which selects one element, gives as many as
there are batches. Silent.

Found by: operators over two different batches, one by one (results/found.md). Exits 77 while it
lives.
"""

import sys

import torch


def f(x, i):
    return x.index_select(0, i)


x = torch.arange(6.0).reshape(2, 3)
i = torch.tensor([0, 2])
each, got = [f(*row) for row in zip(x, i)], torch.vmap(f)(x, i)
expected, got = [r.tolist() for r in each], [r.tolist() for r in got]
print(f"torch {torch.__version__}: expected {expected}, got {got}")
sys.exit(77 if str(got) != str(expected) else 0)
