"""torch.vmap, 2.13.0: median of an empty tensor raises; without vmap it is NaN. So does
nanmedian.

Found by: operators over two different batches, one by one (results/found.md). Exits 77 while it
lives.
"""

import sys

import torch


def f(x):
    return x.median()


x = torch.zeros(2, 0)
expected = [f(v) for v in x]
try:
    got = torch.vmap(f)(x)
except (RuntimeError, IndexError) as e:
    got = f"{type(e).__name__}: {str(e).splitlines()[0]}"
print(f"torch {torch.__version__}: expected {expected}, got {got}")
sys.exit(77 if isinstance(got, str) else 0)
