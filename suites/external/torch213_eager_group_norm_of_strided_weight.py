"""Eager mode, 2.13.0 and 1.13.1: native_group_norm reads a weight that is not contiguous as if it
were. Silent.

Found by: `fuzz --plan torch:eager` (results/found.md). Of an expanded weight of one element it
reads memory behind it; group_norm, which copies the weight first, is right. Exits 77 while it
lives.
"""

import sys

import torch

x, weight = torch.arange(24.0).reshape(2, 4, 3), torch.arange(8.0)[::2]
expected = torch.native_group_norm(x, weight.contiguous(), None, 2, 4, 3, 2, 1e-5)[0]
got = torch.native_group_norm(x, weight, None, 2, 4, 3, 2, 1e-5)[0]
print(f"torch {torch.__version__}: expected {expected[0, 1].tolist()}, got {got[0, 1].tolist()}")
sys.exit(77 if not torch.allclose(got, expected) else 0)
