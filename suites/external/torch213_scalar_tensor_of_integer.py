"""torch.compile, inductor, 2.13.0: scalar_tensor(0) of no dtype is int64, in eager mode the default
dtype: its lowering takes the number's type. Silent.

Found by: fusillade fuzz --plan torch:compile --seed 3903; blame: torch:compile (lowering). Exits 77
while it lives.
"""

import sys

import torch


def f(x):
    return torch.stack([torch.scalar_tensor(0)] * 3)


x = torch.ones(1)
actual = torch.compile(f)(x)
print(f"torch {torch.__version__}: expected {f(x).dtype}, got {actual.dtype}")
sys.exit(0 if actual.dtype == f(x).dtype else 77)
