"""Eager mode, 1.13.1 and 2.13: lines resized by nearest and a scale that doubles the size go
forward by the scale, back by the size. Silent.

Found by: fusillade fuzz --plan torch:eager --engine-python torch=/usr/bin/python3 --oracle
peer_gradient --seed 990101. Exits 77 while it lives.
"""

import sys

import torch

x = torch.tensor([[[1.0, 2.0]]], requires_grad=True)
y = torch.nn.functional.interpolate(x, scale_factor=2.25, mode="nearest")
(y * torch.tensor([1.0, 10.0, 100.0, 1000.0])).sum().backward()
actual, expected = (
    x.grad.flatten().tolist(),
    [sum(10.0**i for i in range(4) if y[0, 0, i] == v) for v in (1.0, 2.0)],
)
print(
    f"torch {torch.__version__}: output {y.flatten().tolist()}, expected {expected}, got {actual}"
)
sys.exit(77 if actual != expected else 0)
