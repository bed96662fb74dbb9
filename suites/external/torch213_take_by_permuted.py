"""torch.compile, aot_eager_decomp_partition and
inductor, 2.13.0: take by permuted indices is contiguous, in eager mode it has the
strides of the indices. Silent.

Found by: a loop over permuted operands; Exits 77
while it lives.
"""

import sys

import torch


def f(x, i):
    return torch.take(x, i)


x = torch.ones(9)
i = torch.ones(3, 7, dtype=torch.int64).t()
expected = f(x, i).stride()
got = torch.compile(f, backend="aot_eager_decomp_partition")(x, i).stride()
print(f"torch {torch.__version__}: expected {expected}, got {got}")
sys.exit(0 if got == expected else 77)
