"""Eager mode, 2.13.0: gelu(inf) of float32 in vector code is NaN, in shorter tensors, doubles and
1.13.1 it is inf. Silent.

Found by: values near zero, huge, infinite and NaN through every op, 40 ops a compile
(results/found.md). Exits 77 while it lives.
"""

import sys

import torch

gelu = torch.nn.functional.gelu
x = torch.full((8,), float("inf"))
print(f"torch {torch.__version__}: expected {gelu(x[:1]).tolist()}, got {gelu(x)[:1].tolist()}")
sys.exit(77 if gelu(x)[0] != x[0] else 0)
