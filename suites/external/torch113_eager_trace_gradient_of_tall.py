"""Eager mode, 1.13.1: the gradient of the trace of a matrix of more rows than columns goes on below
the last column. Mended since. Silent.

Found by: fusillade fuzz --plan torch:eager --engine-python torch=/usr/bin/python3 --oracle
peer_gradient --seed 881. Exits 77 while it lives.
"""

import sys

import torch

x = torch.zeros(3, 1, requires_grad=True)
x.trace().backward()
actual, expected = x.grad.flatten().tolist(), [1.0, 0.0, 0.0]
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(77 if actual != expected else 0)
