"""torch.compile, inductor's vector code, 2.13.0: min over a dim of bools gives the place of True
where False is. pytorch#184893, closed. Silent.

Found by: a loop over functions of integers; Exits 77 while it lives.
"""

import sys

import torch


def f(x):
    return x.min(1)


x = torch.ones(2, 64, dtype=torch.bool)
x[:, 40] = False
expected, got = f(x).indices.tolist(), torch.compile(f)(x).indices.tolist()
print(f"torch {torch.__version__}: expected {expected}, got {got}")
sys.exit(0 if got == expected else 77)
