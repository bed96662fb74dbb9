"""torch.compile, 2.13.0, inductor: erf of small float32 in vector code is off by digits.
pytorch#198183. Silent.

Found by: fusillade fuzz --plan torch:compile --policy rows --seed 1502. Exits 77 while it lives.
"""

import sys

import torch

x = torch.full((32,), -1e-5)
expected, actual = torch.erf(x)[0].item(), torch.compile(torch.erf)(x)[0].item()
print(f"torch {torch.__version__}: expected {expected} within 4 ulp, got {actual}")
sys.exit(77 if abs(actual - expected) > 4 * 2**-23 * abs(expected) else 0)
