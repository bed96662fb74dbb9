"""Eager mode, 2.13.0 (1.13.1 is right): an antialiased resize to width 1 gives every row the value
of the first. Silent.

Found by: policy rows, `fusillade fuzz --plan torch:eager` (results/found.md). Height 2 to 4 should
climb from 2 to 20. Exits 77 while it lives.
"""

import sys

import torch

x = torch.tensor([[[[1.0, 2, 3], [10, 20, 30]]]])
got = (
    torch.nn.functional.interpolate(x, size=(4, 1), mode="bilinear", antialias=True)
    .flatten()
    .tolist()
)
print(f"torch {torch.__version__}: expected [2.0, 6.5, 15.5, 20.0], got {got}")
sys.exit(0 if abs(got[3] - 20.0) < 1e-3 else 77)
