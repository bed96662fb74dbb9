"""torch.func.jvp, 2.13.0: the tangent of scatter_reduce(reduce='prod') is 0; its gradients are
right. Silent.

Found by: tangents against gradients and against differences, one operator at a time
(results/found.md). Exits 77 while it lives.
"""

import sys

import torch


def f(x):
    return torch.ones(2).scatter_reduce(0, torch.tensor([0, 0, 1]), x, "prod")


x, t = torch.tensor([1.0, 2.0, 3.0]), torch.ones(3)
expected, (_, got) = torch.func.jacrev(f)(x) @ t, torch.func.jvp(f, (x,), (t,))
print(f"torch {torch.__version__}: expected {expected.tolist()}, got {got.tolist()}")
sys.exit(77 if not torch.allclose(got, expected) else 0)
