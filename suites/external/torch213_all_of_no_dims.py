"""torch.compile, inductor, 2.13.0: all(x, []) and any(x, []) reduce all dims; eager's reduce none,
and keep the sizes of x. Silent.

Found by: values near zero, huge, infinite and NaN through every op, 40 ops a compile
(results/found.md). Exits 77 while it lives.
"""

import sys

import torch


def f(x):
    return torch.all(x, []), torch.any(x, [])


x = torch.tensor([[0.0, 1.0]])
actual = torch.compile(f)(x)
print(f"torch {torch.__version__}: expected {f(x)}, got {actual}")
sys.exit(77 if actual[0].shape != f(x)[0].shape else 0)
