"""torch.compile, Dynamo, 2.13.0: a metaclass's `__instancecheck__` is not called for a constant.
Silent. pytorch#149991.

Found by: a program by hand. Exits 77 while it lives.
"""

import sys

import torch


class Meta(type):
    def __instancecheck__(cls, other):
        return other == 3


class Three(metaclass=Meta):
    pass


def f(x):
    return x + isinstance(3, Three)


x = torch.zeros(1)
expected, actual = f(x).item(), torch.compile(f, backend="eager")(x).item()
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if actual == expected else 77)
