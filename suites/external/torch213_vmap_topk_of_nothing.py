"""torch.vmap, 2.13.0: topk of 0 elements of a 0-d tensor ends in an internal assertion.

Found by: fusillade fuzz --plan torch:vmap --seed 77. Exits 77 while it lives.
"""

import sys

import torch


def f(x):
    return x.topk(0)[0]


x = torch.arange(2.0)
try:
    actual = torch.vmap(f)(x).shape[1:]
except RuntimeError as e:
    actual = str(e).splitlines()[0]
print(f"torch {torch.__version__}: expected {f(x[0]).shape}, got {actual}")
sys.exit(0 if actual == f(x[0]).shape else 77)
