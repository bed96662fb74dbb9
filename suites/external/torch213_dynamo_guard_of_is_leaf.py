"""torch.compile, Dynamo, 2.13.0: `is_leaf` is not guarded: a tensor with a way back is taken for
a leaf. Silent.

Found by: a program by hand. Exits 77 while it lives.
"""

import sys

import torch


def f(x):
    return x * (1 if x.is_leaf else 2)


leaf = torch.ones(1, requires_grad=True)
compiled = torch.compile(f, backend="eager")
compiled(leaf)
expected, actual = f(leaf * 1).item(), compiled(leaf * 1).item()
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if actual == expected else 77)
