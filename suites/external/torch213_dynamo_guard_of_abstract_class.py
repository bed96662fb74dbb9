"""torch.compile, Dynamo, 2.13.0: `isinstance` of an abstract class is not guarded: a class
registered later is not seen. Silent.

Found by: a program by hand. Exits 77 while it lives.
"""

import abc
import sys

import torch

Base = abc.ABCMeta("Base", (), {})


class Number:
    pass


def f(x, number):
    return x + isinstance(number, Base)


x, number = torch.zeros(1), Number()
compiled = torch.compile(f, backend="eager")
compiled(x, number)
Base.register(Number)
expected, actual = f(x, number).item(), compiled(x, number).item()
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if actual == expected else 77)
