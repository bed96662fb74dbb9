"""torch.compile, Dynamo, 2.13.0: `except ZeroDivisionError` does not catch the division by an
integer that became dynamic.

Found by: fusillade fuzz --plan torch:dynamo --policy python --seed 1. Exits 77 while it lives.
"""

import sys

import torch


def f(x, n):
    try:
        return x + 6 // (n % 2)
    except ZeroDivisionError:
        return x


x = torch.zeros(1)
compiled = torch.compile(f, backend="eager")
try:
    actual = [compiled(x, n).item() for n in (1, 3, 2)][2]
except ZeroDivisionError as e:
    actual = f"ZeroDivisionError: {e}"
print(f"torch {torch.__version__}: expected {f(x, 2).item()}, got {actual}")
sys.exit(0 if actual == f(x, 2).item() else 77)
