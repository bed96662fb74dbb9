"""torch.vmap, 2.13.0: linspace from a tensor of float64 is float64; without vmap it has the
default dtype, float32. So has logspace. Over no steps they are int64. Silent.

Found by: operators over two different batches, one by one (results/found.md). Exits 77 while it
lives.
"""

import sys

import torch


def f(x):
    return torch.linspace(x, 2.0, 3)


x = torch.zeros(2, dtype=torch.float64)
each, got = [f(v) for v in x], torch.vmap(f)(x)
expected, got = [r.dtype for r in each], [r.dtype for r in got]
print(f"torch {torch.__version__}: expected {expected}, got {got}")
sys.exit(77 if str(got) != str(expected) else 0)
