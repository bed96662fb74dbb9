"""Eager mode, 1.13.1: norms of doubles, and their gradients, are of the order rounded to float32:
norm, vector_norm and pairwise_distance of order 0.1 are off in the fifth digit. Mended since.
Silent.

Found by: fusillade fuzz --plan torch:eager --engine-python torch=/usr/bin/python3 --oracle
peer_gradient. Exits 77 while it lives.
"""

import sys

import torch

x = torch.tensor([0.3, 0.7], dtype=torch.float64, requires_grad=True)
torch.linalg.vector_norm(x, 0.1).backward()
total = 0.3**0.1 + 0.7**0.1
actual, expected = x.grad[0].item(), 0.3**-0.9 * total**9
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(77 if abs(actual / expected - 1) > 1e-9 else 0)
