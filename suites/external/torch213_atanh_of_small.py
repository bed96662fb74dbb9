"""torch.compile, inductor, 2.13.0: atanh of small numbers is log((1 + x) / (1 - x)) / 2 in vector
code: 0 for 1e-8, 2e-5 off for 1e-7 and 19 % off for -1e-7. Eager is within an ulp. Silent.

Found by: values near zero, huge, infinite and NaN through every op, 40 ops a compile
(results/found.md). Exits 77 while it lives.
"""

import sys

import torch

x = torch.tensor([1e-8, 1e-4, -1e-7, 0.5] * 8)
actual, exact = torch.compile(torch.atanh)(x), torch.atanh(x.double())
worst = ((actual - exact) / exact).abs().max().item()
print(
    f"torch {torch.__version__}: expected {exact[:3].tolist()}, got {actual[:3].tolist()}: "
    f"{worst:.2g} off; 4 ulp are 4.8e-7"
)
sys.exit(77 if worst > 4.8e-7 else 0)
