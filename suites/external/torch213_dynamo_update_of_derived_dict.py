"""torch.compile, Dynamo, 2.13.0: `update` of a class derived from OrderedDict goes past its
`__setitem__`. Silent.

Found by: a program by hand. Exits 77 while it lives.
"""

import collections
import sys

import torch


class Doubling(collections.OrderedDict):
    def __setitem__(self, key, value):
        super().__setitem__(key, value * 2)


def f(x):
    numbers = Doubling()
    numbers.update(a=3)
    return x + numbers["a"]


x = torch.zeros(1)
expected, actual = f(x).item(), torch.compile(f, backend="eager")(x).item()
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if actual == expected else 77)
