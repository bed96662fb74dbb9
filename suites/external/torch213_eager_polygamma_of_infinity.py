"""Eager mode, 2.13.0 and 1.13.1: polygamma of order 2 or more, and zeta, of infinity are nan, their
limit is 0. Silent.

Found by: policy rows, `fusillade fuzz --plan torch:eager` (results/found.md). polygamma(1, inf) is
0, as are scipy.special.polygamma(2, inf) and scipy.special.zeta(3, inf). Exits 77 while it lives.
"""

import math
import sys

import torch

far = torch.tensor([math.inf])
got = [torch.polygamma(2, far).item(), torch.special.zeta(torch.tensor([3.0]), far).item()]
print(f"torch {torch.__version__}: expected [0.0, 0.0], got {got}")
sys.exit(77 if any(math.isnan(v) for v in got) else 0)
