"""torch.compile, Dynamo, 2.13.0: `except IndexError` does not catch `"{}".format()`.

Found by: a program by hand. Exits 77 while it lives.
"""

import sys

import torch


def f(x, numbers):
    try:
        return x + len(str("{}".format(*numbers)))
    except IndexError:
        return x


expected = f(torch.zeros(1), []).item()
try:
    actual = torch.compile(f, backend="eager")(torch.zeros(1), []).item()
except Exception as e:
    actual = f"{type(e).__name__}: {str(e).strip().splitlines()[0]}"
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if actual == expected else 77)
