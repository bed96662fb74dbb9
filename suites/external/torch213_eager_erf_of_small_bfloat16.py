"""Eager mode, 2.13.0: erf of a bfloat16 or float16 below 6e-7 is 0, though 1.13 times it is a
number that the type holds. 1.13.1 and float32 have it right. Silent.

Found by: fusillade fuzz --plan torch:eager --oracle conformance --runs 3000 --seed 1. Exits 77
while it lives.
"""

import sys

import torch

x = torch.tensor([1e-30], dtype=torch.bfloat16)
expected, actual = torch.erf(x.float()).item(), torch.erf(x).item()
print(f"torch {torch.__version__}: erf({x.item()}): expected {expected} within 1 %, got {actual}")
sys.exit(77 if abs(actual - expected) > 0.01 * expected else 0)
