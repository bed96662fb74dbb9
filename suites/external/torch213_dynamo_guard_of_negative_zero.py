"""torch.compile, Dynamo, 2.13.0: code that was compiled for the float 0.0 is taken for -0.0 too:
the guard compares by `==`. Silent.

Found by: a program by hand. Exits 77 while it lives.
"""

import sys

import torch


def f(x, number):
    return torch.copysign(x, torch.full_like(x, number))


x = torch.ones(1)
compiled = torch.compile(f, backend="eager")
compiled(x, 0.0)
expected, actual = f(x, -0.0).item(), compiled(x, -0.0).item()
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if actual == expected else 77)
