"""torch.compile, inductor, 2.13.0: expm1 of small doubles loses digits in vector code. Silent.

Found by: values near zero, huge, infinite and NaN through every op, 40 ops a compile
(results/found.md). Exits 77 while it lives.
"""

import sys

import torch

x = torch.tensor([1e-45, 1e-20, 1e-9, 1e-5] * 8, dtype=torch.float64)
eager, compiled = torch.expm1(x), torch.compile(torch.expm1)(x)
worst = ((compiled - eager) / eager).abs().max().item()
print(
    f"torch {torch.__version__}: expected {eager[:4].tolist()}, got {compiled[:4].tolist()}: "
    f"{worst:.2g} off; 4 ulp are 8.9e-16"
)
sys.exit(77 if worst > 8.9e-16 else 0)
