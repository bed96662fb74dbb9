"""torch.compile, Dynamo, 2.13.0: a set made inside holds two objects that are equal by their
class's `__eq__` and `__hash__`; CPython's holds one. Silent.

Found by: fusillade fuzz --plan torch:dynamo --policy python --seed 1. Exits 77 while it lives.
"""

import sys

import torch


class Key:
    def __init__(self, number):
        self.number = number

    def __eq__(self, other):
        return isinstance(other, Key) and self.number == other.number

    def __hash__(self):
        return hash(self.number)


def f(x):
    return x + len({Key(1), Key(1)})


x = torch.zeros(1)
expected, actual = f(x).item(), torch.compile(f, backend="eager")(x).item()
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if actual == expected else 77)
