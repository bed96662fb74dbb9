"""Eager mode, 1.13.1: the gradient of hardswish at 3 is 1 in whole registers of elements and 3/2 in
what is left of them. Mended since. Silent.

Found by: fusillade fuzz --plan torch:eager --engine-python torch=/usr/bin/python3 --oracle
peer_gradient --seed 990201. Exits 77 while it lives.
"""

import sys

import torch

x = torch.full((9,), 3.0, dtype=torch.float64, requires_grad=True)
torch.nn.functional.hardswish(x).sum().backward()
actual, expected = x.grad.tolist(), [x.grad[0].item()] * 9
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(77 if actual != expected else 0)
