"""torch.compile, Dynamo, 2.13.0: no guard holds the order of an OrderedDict's keys: after
`move_to_end` the old order is computed. Silent.

Found by: a program by hand. Exits 77 while it lives.
"""

import collections
import sys

import torch


def f(x, numbers):
    for number in numbers.values():
        x = x * 10 + number
    return x


x, numbers = torch.zeros(1), collections.OrderedDict(a=1, b=2)
compiled = torch.compile(f, backend="eager")
compiled(x, numbers)
numbers.move_to_end("a")
expected, actual = f(x, numbers).item(), compiled(x, numbers).item()
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if actual == expected else 77)
