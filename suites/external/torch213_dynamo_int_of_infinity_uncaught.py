"""torch.compile, Dynamo, 2.13.0: `except OverflowError` does not catch `int(float("inf"))`.

Found by: a program by hand. Exits 77 while it lives.
"""

import sys

import torch


def f(x, numbers):
    try:
        return x + len(str(int(float("inf"))))
    except OverflowError:
        return x


expected = f(torch.zeros(1), []).item()
try:
    actual = torch.compile(f, backend="eager")(torch.zeros(1), []).item()
except Exception as e:
    actual = f"{type(e).__name__}: {str(e).strip().splitlines()[0]}"
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if actual == expected else 77)
