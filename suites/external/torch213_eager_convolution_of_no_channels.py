"""Eager mode, 2.13.0 and 1.13.1: a convolution of no input channels into one gives no channel at
all: sizes [1, 0, 3], where its weight and its documentation say [1, 1, 3]. Silent.

Found by: fusillade fuzz --plan torch:eager --seed 7. Exits 77 while it lives.
"""

import sys

import torch

actual = torch.conv1d(torch.ones(1, 0, 3), torch.ones(1, 0, 1))
print(f"torch {torch.__version__}: expected sizes [1, 1, 3], got {list(actual.shape)}")
sys.exit(77 if list(actual.shape) != [1, 1, 3] else 0)
