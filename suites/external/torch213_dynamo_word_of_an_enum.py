"""torch.compile, Dynamo, 2.13.0: a member of an enum that is a str, plus a str, is
NotImplemented. Silent.

Found by: a program by hand. Exits 77 while it lives.
"""

import enum
import sys

import torch


class Colour(str, enum.Enum):
    RED = "red"


def f(x):
    return x + 1, Colour.RED + "dish"


x = torch.zeros(1)
expected, actual = f(x)[1], torch.compile(f, backend="eager")(x)[1]
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if actual == expected else 77)
