"""torch.func.jvp, 2.13.0: the tangent of layer_norm of bfloat16 by a weight of float32 is
float32, the result bfloat16. So for group_norm and batch_norm. Silent.

Found by: tangents against gradients and against differences, one operator at a time
(results/found.md). Exits 77 while it lives.
"""

import sys

import torch


def f(x):
    return torch.nn.functional.layer_norm(x, (3,), torch.ones(3))


x, t = torch.randn(2, 3).bfloat16(), torch.ones(2, 3).bfloat16()
expected, (_, got) = torch.bfloat16, torch.func.jvp(f, (x,), (t,))
print(f"torch {torch.__version__}: expected {expected}, got {got.dtype}")
sys.exit(77 if got.dtype != expected else 0)
