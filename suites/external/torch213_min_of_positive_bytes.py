"""torch.compile, inductor's vector code, 2.13.0: min of positive uint8 or int8 is 0, its place the
first. pytorch#191499. Silent.

Found by: a loop over functions of integers; Exits 77 while it lives.
"""

import sys

import torch

x = torch.arange(200, 0, -1, dtype=torch.uint8)
expected = torch.min(x).item()
got = torch.compile(torch.min)(x).item()
print(f"torch {torch.__version__}: expected {expected}, got {got}")
sys.exit(0 if got == expected else 77)
