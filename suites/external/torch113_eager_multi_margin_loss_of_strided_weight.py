"""Eager mode, 1.13.1: multi_margin_loss reads a strided weight as if it were contiguous. Mended
since. Silent.

Found by: fusillade fuzz --plan torch:eager --engine-python torch=/usr/bin/python3 --policy rows
--seed 4242. Exits 77 while it lives.
"""

import sys

import torch
from torch.nn.functional import multi_margin_loss

weight = torch.tensor([1.0, 50.0, 2.0, 50.0])[::2]
x, target = torch.zeros(1, 2), torch.tensor([1])
actual = multi_margin_loss(x, target, weight=weight).item()
expected = multi_margin_loss(x, target, weight=weight.contiguous()).item()
print(f"torch {torch.__version__}: every other weight: expected {expected}, got {actual}")
sys.exit(77 if actual != expected else 0)
