"""Eager mode, 2.13.0 and 1.13.1: isin of int64 among float32 finds numbers that are equal to each
other in float32. Silent.

Found by: `fuzz --plan torch:eager --policy rows` (results/found.md). Of many elements it sorts both
together, converted, and takes two equal neighbours for one of each; int64 among float16 likewise.
Exits 77 while it lives.
"""

import sys

import torch

x, zeros = 2**24 + torch.arange(40), torch.zeros(40)
expected, got = sum(torch.isin(v, zeros).item() for v in x), torch.isin(x, zeros).sum().item()
print(f"torch {torch.__version__}: of 2**24 and above among zeros: expected {expected}, got {got}")
sys.exit(77 if got != expected else 0)
