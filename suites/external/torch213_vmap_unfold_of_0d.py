"""torch.vmap, 2.13.0: unfold of a 0-d tensor into windows of no elements has shape [batch, 0],
without vmap [0]. Silent.

Found by: fusillade fuzz --plan torch:vmap (results/found.md). Exits 77 while it lives.
"""

import sys

import torch


def f(x):
    return x.unfold(0, 0, 1)


x = torch.ones(2)
each, got = [f(v) for v in x], torch.vmap(f)(x)
expected, got = [tuple(r.shape) for r in each], [tuple(r.shape) for r in got]
print(f"torch {torch.__version__}: expected {expected}, got {got}")
sys.exit(77 if str(got) != str(expected) else 0)
