"""torch.compile, inductor, 2.13.0: threshold of int64 with a float for value computes in floats:
2**24 + 1, which it should hand on, becomes 2**24. Silent.

Found by: values near zero, huge, infinite and NaN through every op, 40 ops a compile
(results/found.md). Exits 77 while it lives.
"""

import sys

import torch


def f(x):
    return torch.nn.functional.threshold(x, 0.1, 0.1)


x = torch.tensor([2**24 + 1, 2**53 + 1])
actual = torch.compile(f)(x)
print(f"torch {torch.__version__}: expected {f(x).tolist()}, got {actual.tolist()}")
sys.exit(77 if not torch.equal(actual, f(x)) else 0)
