"""Eager mode, 1.13.1 and 2.13.0: the gradient of polar by a negative length has the wrong sign: it
is divided by the length's magnitude. Silent.

Found by: fusillade fuzz --plan torch:eager --engine-python torch=/usr/bin/python3 --policy rows
--seed 4242. Exits 77 while it lives.
"""

import sys

import torch

length, angle = torch.tensor(-2.0, requires_grad=True), torch.tensor(0.0)
torch.polar(length, angle).real.backward()  # its real part is length * cos(angle)
actual, expected = length.grad.item(), 1.0
print(f"torch {torch.__version__}: gradient by -2: expected {expected}, got {actual}")
sys.exit(77 if actual != expected else 0)
