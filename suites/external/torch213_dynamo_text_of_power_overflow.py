"""torch.compile, Dynamo, 2.13.0: `str` of the OverflowError that `2.0 ** 5000` raises: an
AssertionError of the compiler.

Found by: a program by hand. Exits 77 while it lives.
"""

import sys

import torch


def f(x):
    try:
        return x + 2.0**5000
    except OverflowError as e:
        return x + len(str(e))


x = torch.zeros(1)
expected = f(x).item()
try:
    actual = torch.compile(f, backend="eager")(x).item()
except Exception as e:
    actual = f"{type(e).__name__}: {str(e).strip().splitlines()[0]}"
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if actual == expected else 77)
