"""Eager mode, 2.13.0 and 1.13.1: special.i0 and i1 of 89 to 91 are inf, float32 holds them. Silent.

Found by: policy rows, `fusillade fuzz --plan torch:eager` (results/found.md). i0(90) is 5.1e37;
exp(90), by which it is computed, overflows. In float64 the same is right. Exits 77 while it lives.
"""

import math
import sys

import torch

x = torch.tensor([90.0])
wide, got = torch.special.i0(x.double()).item(), torch.special.i0(x).item()
print(f"torch {torch.__version__}: expected {wide}, got {got}")
sys.exit(77 if math.isinf(got) and wide < 3e38 else 0)
