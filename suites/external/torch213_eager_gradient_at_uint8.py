"""Eager mode, 2.13.0 and 1.13.1: torch.gradient at places of uint8 negates steps in uint8: 1
becomes 255. Silent.

Found by: `fuzz --plan torch:eager --policy rows` (results/found.md). Products of steps wrap as
well, of int8, int16 and int32 too. A uint8 for the values is refused. Exits 77 while it lives.
"""

import sys

import torch

x, places = torch.tensor([1.0, 4.0, 9.0, 16.0]), torch.tensor([0, 1, 2, 3])
expected = torch.gradient(x, spacing=(places,))[0].tolist()
got = torch.gradient(x, spacing=(places.to(torch.uint8),))[0].tolist()
print(f"torch {torch.__version__}: expected {expected}, got {got}")
sys.exit(77 if got != expected else 0)
