"""Eager mode, 1.13.1 as Debian builds it: dot and vdot of complex vectors are 0. BLAS gives a
complex number in another place than it is looked for. Mended since. Silent.

Found by: fusillade fuzz --plan torch:eager --engine-python torch=/usr/bin/python3 --seed 3. Exits
77 while it lives.
"""

import sys

import torch

x = torch.full((3,), 1 + 1j)
actual, expected = torch.dot(x, x).item(), (x * x).sum().item()
print(f"torch {torch.__version__}: dot of 1 + 1j, three times, expected {expected}, got {actual}")
sys.exit(77 if actual != expected else 0)
