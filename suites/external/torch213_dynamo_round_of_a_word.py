"""torch.compile, Dynamo, 2.13.0: `round("a")` raises AttributeError, in CPython TypeError.
Silent.

Found by: a program by hand. Exits 77 while it lives.
"""

import sys

import torch


def f(x):
    try:
        return x + round("a")
    except AttributeError:
        return x + 1
    except TypeError:
        return x + 2


x = torch.zeros(1)
expected, actual = f(x).item(), torch.compile(f, backend="eager")(x).item()
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if actual == expected else 77)
