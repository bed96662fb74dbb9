"""torch.func.jvp, 2.13.0: the tangents of cumprod divide by each number first, which overflows
for small ones: inf for 1. Silent.

Found by: tangents against gradients and against differences, one operator at a time
(results/found.md). Exits 77 while it lives.
"""

import sys

import torch


def f(x):
    return x.cumprod(0)


x, t = torch.tensor([1e-40, 0.5]), torch.ones(2)
expected, (_, got) = torch.func.jacrev(f)(x) @ t, torch.func.jvp(f, (x,), (t,))
print(f"torch {torch.__version__}: expected {expected.tolist()}, got {got.tolist()}")
sys.exit(77 if not torch.allclose(got, expected) else 0)
