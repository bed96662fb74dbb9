"""Eager mode, 1.13.1: group_norm of one bfloat16 is 0, not the bias: it takes bias - scale * mean
in 16 bits, where scale is 316. Mended since. Silent.

Found by: fusillade fuzz --plan torch:eager --engine-python torch=/usr/bin/python3 --seed 606. Exits
77 while it lives.
"""

import sys

import torch

one = torch.ones(1, dtype=torch.bfloat16)
actual = torch.group_norm(one.reshape(1, 1), 1, one, one, 1e-5).item()
print(f"torch {torch.__version__}: group_norm of one number, bias 1: expected 1.0, got {actual}")
sys.exit(77 if actual != 1 else 0)
