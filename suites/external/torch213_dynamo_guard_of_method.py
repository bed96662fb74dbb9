"""torch.compile, Dynamo, 2.13.0: a method that is replaced in its class stays the old one.
Silent. pytorch#197860.

Found by: a program by hand. Exits 77 while it lives.
"""

import sys

import torch


class Number:
    def get(self):
        return 1


def f(x, number):
    return x + number.get()


x, number = torch.zeros(1), Number()
compiled = torch.compile(f, backend="eager")
compiled(x, number)
Number.get = lambda self: 2
expected, actual = f(x, number).item(), compiled(x, number).item()
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if actual == expected else 77)
