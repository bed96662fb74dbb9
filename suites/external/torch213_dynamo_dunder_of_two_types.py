"""torch.compile, Dynamo, 2.13.0: `(1).__add__(1.5)` is 2.5 and `(1).__eq__("a")` is False, where
CPython gives NotImplemented: the method is taken for the operator. Silent.

Found by: a program by hand. Exits 77 while it lives.
"""

import sys

import torch


def f(x):
    return x + 1, (1).__add__(1.5)


x = torch.zeros(1)
expected, actual = f(x)[1], torch.compile(f, backend="eager")(x)[1]
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if actual is expected else 77)
