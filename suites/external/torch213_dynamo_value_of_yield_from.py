"""torch.compile, Dynamo, 2.13.0: `got = yield from inner()` is None where `inner` returns a number.
pytorch#149037.

Found by: fusillade fuzz --plan torch:dynamo --policy python --seed 1. Exits 77 while it lives.
"""

import sys

import torch


def inner(n):
    yield from range(n)
    return n


def outer(n):
    yield (yield from inner(n))


def f(x, n):
    return x + sum(list(outer(n)))


expected = f(torch.zeros(1), 3).item()
try:
    actual = torch.compile(f, backend="eager")(torch.zeros(1), 3).item()
except Exception as e:
    actual = f"{type(e).__name__}: {str(e).strip().splitlines()[0]}"
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if actual == expected else 77)
