"""torch.func.functionalize, 2.13.0, remove='mutations_and_views': reshape of a transposed tensor
copies; a write to the copy is written to the tensor, as the transposed is contiguous there.
Silent.

Found by: writes through views, one by one (results/found.md). Exits 77 while it lives.
"""

import sys

import torch


def f(x):
    x.t().reshape(-1).add_(1)
    return x


x = torch.zeros(2, 3)
got = torch.func.functionalize(f, remove="mutations_and_views")(x.clone()).tolist()
expected = f(x.clone()).tolist()
print(f"torch {torch.__version__}: expected {expected}, got {got}")
sys.exit(77 if got != expected else 0)
