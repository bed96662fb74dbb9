"""torch.vmap and torch.func.functionalize, 2.13.0: binary_cross_entropy_with_logits of float64
by a target of float32 is float64; without them it is float32, as the target is written in place.
Silent.

Found by: operators over two different batches, one by one (results/found.md). Exits 77 while it
lives.
"""

import sys

import torch

x, y = torch.zeros(2, 3, dtype=torch.float64), torch.zeros(2, 3)
f = torch.nn.functional.binary_cross_entropy_with_logits
expected, got = f(x[0], y[0]).dtype, torch.vmap(f)(x, y).dtype
print(f"torch {torch.__version__}: expected {expected}, got {got}")
sys.exit(77 if got != expected else 0)
