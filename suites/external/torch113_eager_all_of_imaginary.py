"""Eager mode, 1.13.1: all and any of complex numbers look at real parts alone. Mended since.
Silent.

Found by: fusillade fuzz --plan torch:eager --engine-python torch=/usr/bin/python3 --policy rows
--seed 77. Exits 77 while it lives.
"""

import sys

import torch

actual, expected = torch.all(torch.tensor([1 + 1j, 3j])).item(), True
print(f"torch {torch.__version__}: all of 1 + 1j and 3j: expected {expected}, got {actual}")
sys.exit(77 if actual != expected else 0)
