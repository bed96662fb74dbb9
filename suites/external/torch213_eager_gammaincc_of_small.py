"""Eager mode, 2.13.0 and 1.13.1: special.gammaincc (igammac) of a small first argument is more than
thrice too large. Silent.

Found by: `fusillade fuzz --plan torch:eager` (results/found.md). gammaincc(a, 1) is about 0.219 a;
the kernel takes lgamma(1 + a), which is 0 for small a, and gives 0.797 a. Exits 77 while it lives.
"""

import sys

import torch

a = torch.tensor([1e-20], dtype=torch.float64)
got = (torch.special.gammaincc(a, torch.ones_like(a)) / a).item()
print(f"torch {torch.__version__}: expected 0.2193839, got {got}")
sys.exit(77 if abs(got - 0.2193839) > 0.1 else 0)
