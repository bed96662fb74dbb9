"""Eager mode, 2.13.0 (and 1.13.1, also of float32): sinh of the int8 89, 2.2e38 in float32, is inf
in vector code; in the rest of a tensor it is right. Silent.

cosh is so too, and both are of the double 710.
Found by: fusillade fuzz --plan torch:eager --seed 9. Exits 77 while it lives.
"""

import sys

import torch

x = torch.full((64,), 89, dtype=torch.int8)
few, many = torch.sinh(x[:1])[0].item(), torch.sinh(x)[0].item()
print(f"torch {torch.__version__}: sinh(89): expected {few}, of 64 elements it is {many}")
sys.exit(77 if many != few else 0)
