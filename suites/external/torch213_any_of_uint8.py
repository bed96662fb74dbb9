"""torch.compile, inductor, 2.13.0: any of uint8 is bool, in eager mode uint8, as is all. Silent.

Found by: fusillade fuzz --plan torch:compile --seed 3903; blame: torch:compile (lowering). Exits 77
while it lives.
"""

import sys

import torch


def f(x):
    return x.any()


x = torch.zeros(3, dtype=torch.uint8)
actual = torch.compile(f)(x)
print(f"torch {torch.__version__}: expected {f(x).dtype}, got {actual.dtype}")
sys.exit(0 if actual.dtype == f(x).dtype else 77)
