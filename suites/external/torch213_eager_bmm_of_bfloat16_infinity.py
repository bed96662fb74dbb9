"""Eager mode, 2.13.0: a batched product of bfloat16 is nan in a row whose next row holds an
infinity. Silent.

Found by: `fuzz --plan torch:eager --seed 77001`. Rows of odd length are taken in pairs, and what
lies behind the last element is multiplied by 0. mm, float16 and 1.13.1 are right. Needs amx_bf16,
an instruction set: a Zen 5 without it is right. Exits 77 while it lives.
"""

import math
import sys

import torch

a, b = torch.ones(7, 32, 3), torch.ones(7, 3, 8)
a[0, 1, 0] = math.inf
expected, actual = (
    torch.bmm(a.to(dtype), b.to(dtype))[0, 0].tolist() for dtype in (torch.float32, torch.bfloat16)
)
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if actual == expected else 77)
