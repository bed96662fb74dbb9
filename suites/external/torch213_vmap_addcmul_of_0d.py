"""torch.vmap, 2.13.0: clamp(x, low) with a low of 0-d and float64 is float64; without vmap it is
float32, as a 0-d tensor's dtype does not count beside x's. So are addcmul and addcdiv: one rule,
which pads ranks and promotes nothing. Silent.

Found by: operators over two different batches, one by one (results/found.md). Exits 77 while it
lives.
"""

import sys

import torch


def f(x, low):
    return x.clamp(low)


x = torch.randn(2, 3)
low = torch.zeros(2, dtype=torch.float64)
each, got = [f(*row) for row in zip(x, low)], torch.vmap(f)(x, low)
expected, got = [r.dtype for r in each], [r.dtype for r in got]
print(f"torch {torch.__version__}: expected {expected}, got {got}")
sys.exit(77 if str(got) != str(expected) else 0)
