"""Eager mode, 2.13.0 and 1.13.1: multi_margin_loss and multilabel_margin_loss, of a batch of no
rows give, for the mean, memory that nobody wrote; other losses give NaN. Silent.

Found by: values near zero, huge, infinite and NaN through every op, 40 ops a compile
(results/found.md). Exits 77 while it lives.
"""

import sys

import torch

F = torch.nn.functional
x, whole, none = (
    torch.empty(0, 3),
    torch.zeros(0, 3, dtype=torch.int64),
    torch.zeros(0, dtype=torch.int64),
)
actual = [
    f(x, y).item()
    for _ in range(20)
    for f, y in ((F.multilabel_margin_loss, whole), (F.multi_margin_loss, none))
]
wrong = [v for v in actual if v == v]
print(f"torch {torch.__version__}: expected nan, as mse_loss gives, got {wrong[:3]}")
sys.exit(77 if wrong else 0)
