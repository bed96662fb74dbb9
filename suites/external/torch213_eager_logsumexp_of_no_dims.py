"""Eager mode, 2.13.0: logsumexp(x, []) raises, where sum, amax and logsumexp(x, [], keepdim=True)
reduce all dims.

Found by: fusillade fuzz --plan torch:eager --seed 7. Exits 77 while it lives.
"""

import sys

import torch

x = torch.ones(1, 2)
try:
    actual = torch.logsumexp(x, [])
except RuntimeError as e:
    actual = str(e)
print(f"torch {torch.__version__}: expected {torch.logsumexp(x, [0, 1])}, got {actual}")
sys.exit(77 if isinstance(actual, str) else 0)
