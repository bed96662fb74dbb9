"""torch.vmap, 2.13.0: roll(1) of a 0-d tensor gives each batch the value of another; without
vmap it gives its input. Silent.

Found by: operators over two different batches, one by one (results/found.md). Exits 77 while it
lives.
"""

import sys

import torch


def f(x):
    return x.roll(1)


x = torch.tensor([10.0, 20.0, 30.0])
each, got = [f(v) for v in x], torch.vmap(f)(x)
expected, got = [r.tolist() for r in each], [r.tolist() for r in got]
print(f"torch {torch.__version__}: expected {expected}, got {got}")
sys.exit(77 if str(got) != str(expected) else 0)
