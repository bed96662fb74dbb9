"""torch.compile, Dynamo, 2.13.0: `append` to a deque that comes from outside ignores its
`maxlen`. Silent.

Found by: a program by hand. Exits 77 while it lives.
"""

import collections
import sys

import torch


def f(x, numbers):
    numbers.append(5)
    return x + sum(numbers)


x = torch.zeros(1)
expected = f(x, collections.deque([1, 2], maxlen=2)).item()
actual = torch.compile(f, backend="eager")(x, collections.deque([1, 2], maxlen=2)).item()
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if actual == expected else 77)
