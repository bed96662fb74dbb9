"""torch.compile, Dynamo, 2.13.0: a global that hides a builtin after compilation is not seen.
Silent.

Found by: a program by hand. Exits 77 while it lives.
"""

import sys

import torch


def f(x):
    return x + len([1, 2])


x = torch.zeros(1)
compiled = torch.compile(f, backend="eager")
compiled(x)
globals()["len"] = lambda numbers: 7
expected, actual = f(x).item(), compiled(x).item()
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if actual == expected else 77)
