"""torch.compile, Dynamo, 2.13.0: an attribute that a class inherits stays the base's after the
class got its own. Silent.

Found by: a program by hand. Exits 77 while it lives.
"""

import sys

import torch


class Base:
    number = 1


class Derived(Base):
    pass


def f(x, derived):
    return x + derived.number


x, derived = torch.zeros(1), Derived()
compiled = torch.compile(f, backend="eager")
compiled(x, derived)
Derived.number = 3
expected, actual = f(x, derived).item(), compiled(x, derived).item()
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if actual == expected else 77)
