"""Eager mode, 1.13.1 and 2.13.0: the gradient of addcdiv by a double multiplies value by a float32
in float32; that of addcmul, too. Silent.

That this is the cause is shown: rounded there, the product gives the same bits. Found by: fusillade
fuzz --plan torch:eager --engine-python torch=/usr/bin/python3 --oracle peer_gradient. Exits 77
while it lives.
"""

import sys

import torch

a = torch.tensor([0.7])
b = torch.tensor([1.3], dtype=torch.float64, requires_grad=True)
torch.addcdiv(torch.zeros(1, dtype=torch.float64), a, b, value=0.1).backward()
actual, expected = b.grad.item(), -0.1 * a.item() / 1.3**2
print(
    f"torch {torch.__version__}: expected {expected}, got {actual}; rounded to float32: "
    f"{-(0.1 * a).item() / 1.3**2}"
)
sys.exit(77 if abs(actual - expected) > 1e-12 else 0)
