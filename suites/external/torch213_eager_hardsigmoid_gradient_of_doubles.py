"""Eager mode, 1.13.1 and 2.13.0: the gradient of hardsigmoid of doubles multiplies by one sixth of
float32: nine digits are lost. Silent.

Found by: fusillade fuzz --plan torch:eager --engine-python torch=/usr/bin/python3 --oracle
peer_gradient --seed 5100. Exits 77 while it lives.
"""

import sys

import torch

x = torch.tensor([0.3], dtype=torch.float64, requires_grad=True)
torch.nn.functional.hardsigmoid(x).sum().backward()
actual, expected = x.grad.item(), 1 / 6
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(77 if abs(actual - expected) > 1e-12 else 0)
