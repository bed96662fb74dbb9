"""Eager mode, 2.13.0 and 1.13.1: median over a dim of an expanded tensor gives numbers that nobody
wrote. Silent.

Found by: policy rows, `fusillade fuzz --plan torch:eager` (results/found.md). The values copied to
be ordered keep stride 0, so memory beyond them is read. Exits 77 while it lives.
"""

import sys

import torch

x = torch.tensor([[1.0], [2.0]]).expand(2, 8)
got = torch.median(x, 1).values
print(f"torch {torch.__version__}: expected [1.0, 2.0], got {got.tolist()}")
sys.exit(0 if got.tolist() == [1.0, 2.0] else 77)
