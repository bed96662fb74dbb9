"""torch.compile, aot_eager_decomp_partition and
inductor, 2.13.0: channel_shuffle of channels_last is contiguous. Silent.

Found by: a loop over permuted operands; Exits 77
while it lives.
"""

import sys

import torch


def f(x):
    return torch.channel_shuffle(x, 2)


x = torch.ones(2, 4, 5, 6).to(memory_format=torch.channels_last)
expected = f(x).stride()
got = torch.compile(f, backend="aot_eager_decomp_partition")(x).stride()
print(f"torch {torch.__version__}: expected {expected}, got {got}")
sys.exit(0 if got == expected else 77)
