"""torch.vmap, 2.13.0: squeeze(-1) of a 0-d tensor raises that the dimension is out of range,
expected [-1, 0], but got -1.

Found by: fusillade fuzz --plan torch:vmap (results/found.md). Exits 77 while it lives.
"""

import sys

import torch


def f(x):
    return x.squeeze(-1)


x = torch.ones(2)
expected = [f(v) for v in x]
try:
    got = torch.vmap(f)(x)
except (RuntimeError, IndexError) as e:
    got = f"{type(e).__name__}: {str(e).splitlines()[0]}"
print(f"torch {torch.__version__}: expected {expected}, got {got}")
sys.exit(77 if isinstance(got, str) else 0)
