"""torch.compile, aot_eager_decomp_partition and
inductor, 2.13.0: multilabel_margin_loss counts the labels behind the
first -1. pytorch#185464, mended in 2.14. Silent.

Found by: a loop over gradients of functions; Exits 77
while it lives.
"""

import sys

import torch


def f(x):
    return torch.nn.functional.multilabel_margin_loss(x, torch.tensor([[0, -1, 1]]))


x = torch.tensor([[1.0, 2, 4]])
expected = f(x).item()
got = torch.compile(f, backend="aot_eager_decomp_partition")(x).item()
print(f"torch {torch.__version__}: expected {expected}, got {got}")
sys.exit(0 if got == expected else 77)
