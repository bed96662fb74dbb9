"""Eager mode, 2.13.0 and 1.13.1: special.modified_bessel_k1 of the least positive number is nan, it
is infinity. Silent.

Found by: policy rows, `fusillade fuzz --plan torch:eager` (results/found.md). K1(x) is about 1 / x,
and of 1e-40 it is inf; half of the least number is 0, whose logarithm meets a product with 0. Exits
77 while it lives.
"""

import math
import sys

import torch

got = torch.special.modified_bessel_k1(torch.tensor([1.4e-45, 1e-40])).tolist()
print(f"torch {torch.__version__}: expected [inf, inf], got {got}")
sys.exit(77 if math.isnan(got[0]) else 0)
