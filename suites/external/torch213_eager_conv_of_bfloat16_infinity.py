"""Eager mode, 2.13.0: a convolution of bfloat16 is nan at places whose windows an infinity is not
in. Silent.

Found by: `fuzz --plan torch:eager --policy rows` (results/found.md). oneDNN's kernel with AVX512
takes elements in pairs, and multiplies what it does not need by 0. float32, float16 and 1.13.1 are
right. Exits 77 while it lives.
"""

import math
import sys

import torch

x, weight = torch.zeros(1, 1, 8), torch.ones(1, 1, 3)
x[0, 0, 4] = math.inf
expected = torch.conv1d(x, weight).flatten().tolist()
got = torch.conv1d(x.bfloat16(), weight.bfloat16()).flatten().tolist()
print(f"torch {torch.__version__}: expected {expected}, got {got}")
sys.exit(77 if math.isnan(got[1]) else 0)
