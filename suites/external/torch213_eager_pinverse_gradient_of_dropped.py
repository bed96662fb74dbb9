"""Eager mode, 1.13.1 and 2.13.0: the gradient of pinverse is that of a matrix of which no singular
value was dropped. Those below rcond have a part in it: by the element above the diagonal it is 1,
and central differences say 1 / (1 - 0.01). Silent.

Found by: fusillade fuzz --plan torch:eager --engine-python torch=/usr/bin/python3 --oracle
peer_gradient. Exits 77 while it lives.
"""

import sys

import torch

x = torch.tensor([[1.0, 0.0], [0.0, 0.01]], dtype=torch.float64, requires_grad=True)
torch.pinverse(x, rcond=0.1).sum().backward()
step = torch.tensor([[0.0, 1e-6], [0.0, 0.0]], dtype=torch.float64)
far = (
    torch.pinverse(x + step, rcond=0.1) - torch.pinverse(x - step, rcond=0.1)
).sum().item() / 2e-6
actual = x.grad[0, 1].item()
print(f"torch {torch.__version__}: expected {far}, by central differences, got {actual}")
sys.exit(77 if abs(actual - far) > 1e-6 else 0)
