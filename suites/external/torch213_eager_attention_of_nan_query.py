"""Eager mode, 2.13.0: attention gives 0 to a query that holds NaN, and not NaN.

Found by: `check --plan torch:eager` of a function of scaled_dot_product_attention
(results/found.md). The math back end, and the same written out, give NaN. Silent. Exits 77 while it
lives.
"""

import math
import sys

import torch
import torch.nn.functional as F

q, k, v = (torch.ones(1, 1, 4, 5) for _ in range(3))
q[0, 0, 1, 2] = math.nan
got = F.scaled_dot_product_attention(q, k, v)[0, 0, 1]
expected = (torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(5), -1) @ v)[0, 0, 1]
print(f"torch {torch.__version__}: expected {expected.tolist()}, got {got.tolist()}")
sys.exit(77 if bool(expected.isnan().all()) and not bool(got.isnan().any()) else 0)
