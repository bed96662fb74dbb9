"""Eager mode, 2.13.0 and 1.13.1: special.gammainc of a subnormal first argument is 0, its limit is
1. Silent.

Found by: policy rows, `fusillade fuzz --plan torch:eager` (results/found.md). gammainc(a, x) +
gammaincc(a, x) is 1, and gammaincc(1e-40, 1) is 2e-41; of the smallest normal number gammainc is
right. Exits 77 while it lives.
"""

import sys

import torch

one = torch.tensor([1.0])
got = [torch.special.gammainc(torch.tensor([a]), one).item() for a in (1e-40, 1e-30)]
print(f"torch {torch.__version__}: expected [1.0, 1.0], got {got}")
sys.exit(77 if got[0] != 1.0 else 0)
