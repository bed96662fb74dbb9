"""Eager mode, 1.13.1: _softmax_backward_data reads a strided output of the softmax as if it were
contiguous. Mended since. Silent.

Found by: fusillade fuzz --plan torch:eager --engine-python torch=/usr/bin/python3 --policy rows
--seed 607. Exits 77 while it lives.
"""

import sys

import torch

gradient, wide = torch.tensor([0.0, 1.0]), torch.tensor([0.25, 7.0, 0.75, 7.0])
actual = torch._softmax_backward_data(gradient, wide[::2], 0, torch.float32).tolist()
expected = torch._softmax_backward_data(gradient, wide[::2].contiguous(), 0, torch.float32).tolist()
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(77 if actual != expected else 0)
