"""torch.func.jvp, 2.13.0: the tangent of z ** x by a real x is z ** x * log(z); its imaginary
part is lost. So is that of x ** z by a real x. Silent.

Found by: tangents against gradients and against differences, one operator at a time
(results/found.md). Exits 77 while it lives.
"""

import sys

import torch


def f(x):
    return torch.tensor(1 + 1j) ** x


x, t = torch.tensor([1.5, 2.0]), torch.ones(2)
expected, (_, got) = f(x) * torch.log(torch.tensor(1 + 1j)), torch.func.jvp(f, (x,), (t,))
print(f"torch {torch.__version__}: expected {expected.tolist()}, got {got.tolist()}")
sys.exit(77 if not torch.allclose(got, expected) else 0)
