"""torch.vmap, 2.13.0: all(dim=()) reduces every dimension; without vmap it reduces none. So does
any, and fft.fftn(dim=()) transforms all: the batching rule of reductions takes no dims for all
of them. Silent.

Found by: operators over two different batches, one by one (results/found.md). Exits 77 while it
lives.
"""

import sys

import torch


def f(x):
    return x.all(dim=())


x = torch.tensor([[True, False], [True, True]])
each, got = [f(v) for v in x], torch.vmap(f)(x)
expected, got = [r.tolist() for r in each], [r.tolist() for r in got]
print(f"torch {torch.__version__}: expected {expected}, got {got}")
sys.exit(77 if str(got) != str(expected) else 0)
