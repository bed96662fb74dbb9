"""Eager mode, 1.13.1: baddbmm of small matrices, beta 0, multiplies what its result's memory held
by 0; NaN stays. Mended since. Silent.

Found by: fusillade fuzz --plan torch:eager --engine-python torch=/usr/bin/python3 --policy rows
--seed 607. Exits 77 while it lives.
"""

import sys

import torch

ones, out = torch.ones(1, 2, 2), torch.full((1, 2, 2), float("nan"))
actual = torch.baddbmm(ones, ones, ones, beta=0, out=out)[0, 0, 0].item()
print(f"torch {torch.__version__}: baddbmm of ones, beta 0: expected 2.0, got {actual}")
sys.exit(77 if actual != 2 else 0)
