"""Eager mode, 2.13.0: fmod in vector code is NaN where the quotient overflows; in the rest of a
tensor, of less than a vector, it is right. remainder of int64 and float32 is, too. Silent.

Found by: fusillade fuzz --plan torch:eager --seed 7. Exits 77 while it lives.
"""

import sys

import torch

x = torch.ones(16)
few, many = torch.fmod(x[:1], 1e-45)[0].item(), torch.fmod(x, 1e-45)[0].item()
print(f"torch {torch.__version__}: fmod(1, 1e-45): expected {few}, of 16 elements it is {many}")
sys.exit(77 if many != few else 0)
