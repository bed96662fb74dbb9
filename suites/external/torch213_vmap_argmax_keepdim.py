"""torch.vmap, 2.13.0: argmax(keepdim=True) over all dimensions of a matrix has shape [1],
without vmap [1, 1]. So have argmin and aminmax: the batching rule of reductions flattens first.
Silent.

Found by: fusillade fuzz --plan torch:vmap (results/found.md). Exits 77 while it lives.
"""

import sys

import torch


def f(x):
    return x.argmax(keepdim=True)


x = torch.arange(12.0).reshape(2, 2, 3)
each, got = [f(v) for v in x], torch.vmap(f)(x)
expected, got = [tuple(r.shape) for r in each], [tuple(r.shape) for r in got]
print(f"torch {torch.__version__}: expected {expected}, got {got}")
sys.exit(77 if str(got) != str(expected) else 0)
