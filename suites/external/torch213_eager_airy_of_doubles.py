"""Eager mode, 2.13.0 and 1.13.1: special.airy_ai of doubles just below -2.09 is off by 6e-7, half
its digits. Silent.

Found by: policy rows, `fusillade fuzz --plan torch:eager` (results/found.md). Expected: the two
power series of Ai (Abramowitz and Stegun 10.4.2), which scipy.special.airy gives to 1e-16. Exits 77
while it lives.
"""

import sys
from fractions import Fraction

import torch

x, f, g, u, v = Fraction(-47, 20), Fraction(0), Fraction(0), Fraction(1), Fraction(-47, 20)
for k in range(1, 60):
    f, g = f + u, g + v
    u, v = u * x**3 / ((3 * k - 1) * 3 * k), v * x**3 / (3 * k * (3 * k + 1))
expected = 0.355028053887817239 * float(f) - 0.258819403792806798 * float(g)
got = torch.special.airy_ai(torch.tensor(-2.35, dtype=torch.float64)).item()
print(f"torch {torch.__version__}: expected {expected}, got {got}")
sys.exit(77 if abs(got - expected) > 1e-12 else 0)
