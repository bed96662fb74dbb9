"""Eager mode, 1.13.1: log1p of floats above 2e38 is inf, and of doubles near the largest; mended
since. Silent.

Found by: fusillade fuzz --plan torch:eager --engine-python torch=/usr/bin/python3 --seed 8. Exits
77 while it lives.
"""

import sys

import torch

x = torch.full((9,), 3e38)
actual, expected = torch.log1p(x)[0].item(), torch.log1p(x.double())[0].item()
print(f"torch {torch.__version__}: log1p(3e38) expected {expected}, got {actual}")
sys.exit(77 if actual == float("inf") else 0)
