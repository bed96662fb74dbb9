"""torch.compile, Dynamo, 2.13.0: a list indexed by a member of an IntEnum: endless recursion in
the compiler.

Found by: a program by hand. Exits 77 while it lives.
"""

import enum
import sys

import torch


class Place(enum.IntEnum):
    SECOND = 1


def f(x):
    return x + [5, 6, 7][Place.SECOND]


x = torch.zeros(1)
expected = f(x).item()
try:
    actual = torch.compile(f, backend="eager")(x).item()
except Exception as e:
    actual = f"{type(e).__name__}: {str(e).strip().splitlines()[0]}"
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if actual == expected else 77)
