"""torch.compile, inductor, 2.13.0: acosh of large float32 in vector code is infinite. Silent.
pytorch#184359.

Found by: a loop over single operators; without vector code (cpp.simdlen 1) it is right. Exits 77
while it lives.
"""

import sys

import torch

x = torch.full((64,), 1e20)
expected, actual = torch.acosh(x)[0].item(), torch.compile(torch.acosh)(x)[0].item()
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if abs(actual - expected) < 1e-3 else 77)
