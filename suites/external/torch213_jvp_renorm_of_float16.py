"""torch.func.jvp, 2.13.0: the tangent of renorm of float16 is float32. Silent.

Found by: tangents against gradients and against differences, one operator at a time
(results/found.md). Exits 77 while it lives.
"""

import sys

import torch


def f(x):
    return x.renorm(2, 0, 1.0)


x, t = torch.ones(2, 2).half(), torch.ones(2, 2).half()
expected, (_, got) = torch.float16, torch.func.jvp(f, (x,), (t,))
print(f"torch {torch.__version__}: expected {expected}, got {got.dtype}")
sys.exit(77 if got.dtype != expected else 0)
