"""torch.compile, Dynamo, 2.13.0: `except ValueError` does not catch `range(1, 5, 0)`: an
AssertionError of the compiler.

Found by: a program by hand. Exits 77 while it lives.
"""

import sys

import torch


def f(x, step):
    try:
        return x + len(range(1, 5, step))
    except ValueError:
        return x


x = torch.zeros(1)
expected = f(x, 0).item()
try:
    actual = torch.compile(f, backend="eager")(x, 0).item()
except Exception as e:
    actual = f"{type(e).__name__}: {str(e).strip().splitlines()[0]}"
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if actual == expected else 77)
