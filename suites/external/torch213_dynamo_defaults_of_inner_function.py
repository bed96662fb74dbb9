"""torch.compile, Dynamo, 2.13.0: `__defaults__` of a function made inside raises an
AssertionError of the compiler.

Found by: a program by hand. Exits 77 while it lives.
"""

import sys

import torch


def f(x):
    def inner(a, b=2):
        return a + b

    return x + inner.__defaults__[0]


x = torch.zeros(1)
expected = f(x).item()
try:
    actual = torch.compile(f, backend="eager")(x).item()
except Exception as e:
    actual = f"{type(e).__name__}: {str(e).strip().splitlines()[0]}"
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if actual == expected else 77)
