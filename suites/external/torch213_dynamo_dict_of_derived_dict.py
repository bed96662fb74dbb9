"""torch.compile, Dynamo, 2.13.0: `dict(d)` of a class derived from dict calls its `items`;
CPython copies the dict, and calls at most its `keys` and `__getitem__`. Silent.

Found by: a program by hand. Exits 77 while it lives.
"""

import sys

import torch


class Items(dict):
    def items(self):
        return [("b", 7)]


def f(x):
    return x + sum(dict(Items(a=1)).values())


x = torch.zeros(1)
expected, actual = f(x).item(), torch.compile(f, backend="eager")(x).item()
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if actual == expected else 77)
