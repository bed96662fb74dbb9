"""torch.func.jvp, 2.13.0: the tangent of a float32 tensor to which a float64 was added in place
is float64. So for copy_, sub_, mul_, div_, pow_, clamp_ and others. Silent.

Found by: tangents against gradients and against differences, one operator at a time
(results/found.md). Exits 77 while it lives.
"""

import sys

import torch


def f(x):
    return torch.ones(2).add_(x)


x, t = torch.ones(2, dtype=torch.float64), torch.ones(2, dtype=torch.float64)
expected, (_, got) = torch.float32, torch.func.jvp(f, (x,), (t,))
print(f"torch {torch.__version__}: expected {expected}, got {got.dtype}")
sys.exit(77 if got.dtype != expected else 0)
