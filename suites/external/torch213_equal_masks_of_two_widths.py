"""torch.compile, inductor, 2.13.0: comparing a mask of int8 with a mask of doubles does not
compile.

Found by: a loop over single operators; without vector code (cpp.simdlen 1) it is right. Exits 77
while it lives.
"""

import sys

import torch


def f(x, y):
    return (x < y) == (y.double() < 1)


x = torch.ones(64, dtype=torch.int8)
expected = f(x, x).sum().item()
try:
    actual = torch.compile(f)(x, x).sum().item()
except Exception as e:
    actual = next(line for line in str(e).splitlines() if "error: " in line)
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if actual == expected else 77)
