"""torch.compile, aot_eager, 2.13.0: a shift of integers by bools raises that the dtype is not
integral. Eager runs it.

Found by: fusillade fuzz --plan torch:compile --seed 3903; blame: torch:aot (meta function). Exits
77 while it lives.
"""

import sys

import torch


def f(x, y):
    return x << y


args = torch.tensor([3]), torch.tensor([True])
try:
    actual = torch.compile(f, backend="aot_eager")(*args)
except Exception as e:
    actual = f"{type(e).__name__}: {str(e).splitlines()[0]}"
print(f"torch {torch.__version__}: expected {f(*args)}, got {actual}")
sys.exit(77 if isinstance(actual, str) else 0)
