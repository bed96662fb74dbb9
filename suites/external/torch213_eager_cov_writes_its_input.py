"""Eager mode, 2.13.0 (1.13.1 is right): cov of one observation with weights subtracts the mean in
its input. Silent.

Found by: policy rows, `fusillade fuzz --plan torch:eager` (results/found.md). With one column the
weighted mean has the shape of the input. Exits 77 while it lives.
"""

import sys

import torch

x = torch.tensor([[1.0], [2.0]])
torch.cov(x, fweights=torch.tensor([1]))
print(f"torch {torch.__version__}: expected [1.0, 2.0], got {x.flatten().tolist()}")
sys.exit(0 if x.flatten().tolist() == [1.0, 2.0] else 77)
