"""torch.compile, Dynamo, 2.13.0: `f"{n}"` of a dynamic integer is the integer itself, not its
text. Silent. pytorch#189830. By the same step `f"{x[0].item()}, {x[1].item()}"` raises from the
second call on: behind the graph's break the first number stands where its text should.

Found by: a program by hand. Exits 77 while it lives.
"""

import sys

import torch


def f(x, n):
    return x + 1, f"{n}"


x = torch.zeros(1)
expected = f(x, 7)[1]
actual = torch.compile(f, backend="eager", dynamic=True)(x, 7)[1]
print(f"torch {torch.__version__}: expected {expected!r}, got {actual!r}")
sys.exit(0 if repr(actual) == repr(expected) else 77)
