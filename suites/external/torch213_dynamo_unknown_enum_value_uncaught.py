"""torch.compile, Dynamo, 2.13.0: `except ValueError` does not catch the search for a value that
no member of an Enum has.

Found by: a program by hand. Exits 77 while it lives.
"""

import enum
import sys

import torch


class Colour(enum.Enum):
    RED = 1


def f(x, numbers):
    try:
        return x + len(str(Colour(7)))
    except ValueError:
        return x


expected = f(torch.zeros(1), []).item()
try:
    actual = torch.compile(f, backend="eager")(torch.zeros(1), []).item()
except Exception as e:
    actual = f"{type(e).__name__}: {str(e).strip().splitlines()[0]}"
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if actual == expected else 77)
