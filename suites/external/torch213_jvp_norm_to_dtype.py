"""torch.func.jvp, 2.13.0: the tangent of norm(dtype=torch.float64) of float32 is float32, the
result float64. So for linalg.matrix_norm; that of linalg.vector_norm without dim is too. Silent.

Found by: tangents against gradients and against differences, one operator at a time
(results/found.md). Exits 77 while it lives.
"""

import sys

import torch


def f(x):
    return torch.norm(x, 2, dim=0, dtype=torch.float64)


x, t = torch.ones(2), torch.ones(2)
expected, (_, got) = f(x).dtype, torch.func.jvp(f, (x,), (t,))
print(f"torch {torch.__version__}: expected {expected}, got {got.dtype}")
sys.exit(77 if got.dtype != expected else 0)
