"""Eager mode, 2.13.0 and 1.13.1: special.bessel_j0, j1, y0 and y1 of infinity are nan, their limit
is 0. Silent.

Found by: policy rows, `fusillade fuzz --plan torch:eager` (results/found.md). scipy.special.j0(inf)
is 0, as is torch.special.modified_bessel_k0(inf). Exits 77 while it lives.
"""

import math
import sys

import torch

got = torch.special.bessel_j0(torch.tensor([math.inf, 1e30])).tolist()
print(f"torch {torch.__version__}: expected [0.0, about 0], got {got}")
sys.exit(77 if math.isnan(got[0]) else 0)
