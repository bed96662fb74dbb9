"""Eager mode, 1.13.1 and 2.13: the gradient of as_strided_scatter flows back from what was written
over, not from what was kept. Silent.

Found by: fusillade fuzz --plan torch:eager --engine-python torch=/usr/bin/python3 --oracle
peer_gradient --seed 990301. Exits 77 while it lives.
"""

import sys

import torch

x = torch.ones(3, requires_grad=True)
y = torch.as_strided_scatter(x, torch.zeros(2), [2], [1])
y.sum().backward()
actual, expected = x.grad.tolist(), [0.0, 0.0, 1.0]
print(f"torch {torch.__version__}: output {y.tolist()}, expected {expected}, got {actual}")
sys.exit(77 if actual != expected else 0)
