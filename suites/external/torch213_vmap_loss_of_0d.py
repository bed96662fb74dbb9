"""torch.vmap, 2.13.0: the batching rule of mse_loss, huber_loss and smooth_l1_loss puts the batch
of a 0-d input along the elements of the other one: wrong values where there are as many, else it
raises. Silent.

Found by: fusillade fuzz --plan torch:vmap --seed 77. Exits 77 while it lives.
"""

import sys

import torch


def f(x, y):
    return torch.ops.aten.mse_loss(x, y, 1)


x, y = torch.arange(4.0), torch.ones(4, 2, 2)
actual = torch.vmap(f)(x, y)[3].item()
expected = f(x[3], y[3]).item()
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if actual == expected else 77)
