"""torch.compile, aot_eager_decomp_partition and
inductor, 2.13.0: fmax, fmin and xlogy of a permuted and a contiguous tensor
have the second strides, not the first. Silent.

Found by: a loop over permuted operands; Exits 77
while it lives.
"""

import sys

import torch


def f(x, y):
    return torch.fmax(x, y)


x = torch.ones(3, 7).t()
y = torch.ones(7, 3)
expected = f(x, y).stride()
got = torch.compile(f, backend="aot_eager_decomp_partition")(x, y).stride()
print(f"torch {torch.__version__}: expected {expected}, got {got}")
sys.exit(0 if got == expected else 77)
