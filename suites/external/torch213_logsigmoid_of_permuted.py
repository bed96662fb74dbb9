"""torch.compile, aot_eager_decomp_partition and
inductor, 2.13.0: logsigmoid of a permuted tensor is not contiguous, as it is
in eager mode. Silent.

Found by: a loop over permuted operands; Exits 77
while it lives.
"""

import sys

import torch


def f(x):
    return torch.nn.functional.logsigmoid(x)


x = torch.ones(3, 7).t()
expected = f(x).stride()
got = torch.compile(f, backend="aot_eager_decomp_partition")(x).stride()
print(f"torch {torch.__version__}: expected {expected}, got {got}")
sys.exit(0 if got == expected else 77)
