"""torch.compile, Dynamo, 2.13.0: a descriptor without `__set__` that is taken from an instance
and from its class: the guard fails where it was made.

Found by: a program by hand. Exits 77 while it lives.
"""

import sys

import torch


class Three:
    def __get__(self, instance, owner):
        return 3


class Owner:
    three = Three()


def f(x):
    return x + (owner := Owner()).three, owner.three, Owner.three


expected = f(torch.zeros(1))[2]
try:
    actual = torch.compile(f, backend="eager")(torch.zeros(1))[2]
except Exception as e:
    actual = f"{type(e).__name__}: {str(e).strip().splitlines()[0]}"
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if actual == expected else 77)
