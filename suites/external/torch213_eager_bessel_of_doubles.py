"""Eager mode, 2.13.0 and 1.13.1: special.bessel_j0, j1, y0, y1 of doubles from 5 on are off by
3e-7, half their digits. Silent.

Found by: policy rows, `fusillade fuzz --plan torch:eager` (results/found.md). Expected: the power
series of J0 in exact fractions, which scipy.special.j0 gives to 1e-16. Exits 77 while it lives.
"""

import sys
from fractions import Fraction

import torch

x, total, term = Fraction(51, 10), Fraction(0), Fraction(1)
for k in range(1, 60):
    total, term = total + term, -term * x * x / (4 * k * k)
got = torch.special.bessel_j0(torch.tensor(5.1, dtype=torch.float64)).item()
print(f"torch {torch.__version__}: expected {float(total)}, got {got}")
sys.exit(77 if abs(got - float(total)) > 1e-12 else 0)
