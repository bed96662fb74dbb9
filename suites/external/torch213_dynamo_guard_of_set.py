"""torch.compile, Dynamo, 2.13.0: code that was compiled for the set `{1, 2}` is taken for `{True,
2}` and `{1.0, 2}` too: the elements' types are not guarded. Silent.

Found by: a program by hand. Exits 77 while it lives.
"""

import sys

import torch


def f(x, numbers):
    return x + sum(isinstance(number, bool) for number in numbers)


x = torch.zeros(1)
compiled = torch.compile(f, backend="eager")
compiled(x, {1, 2})
expected, actual = f(x, {True, 2}).item(), compiled(x, {True, 2}).item()
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if actual == expected else 77)
