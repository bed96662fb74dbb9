"""torch.compile, Dynamo, 2.13.0: `_base` is not guarded: a view is taken for no view. Silent.

Found by: a program by hand. Exits 77 while it lives.
"""

import sys

import torch


def f(x):
    return x + (1 if x._base is None else 2)


compiled = torch.compile(f, backend="eager")
compiled(torch.zeros(1))
view = torch.zeros(2)[:1]
expected, actual = f(view).item(), compiled(view).item()
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if actual == expected else 77)
