"""torch.func.jvp, 2.13.0: logcumsumexp of no elements raises; without jvp it has none, and the
way back as well.

Found by: tangents against gradients and against differences, one operator at a time
(results/found.md). Exits 77 while it lives.
"""

import sys

import torch


def f(x):
    return x.logcumsumexp(0)


x, t = torch.zeros(0), torch.zeros(0)
try:
    got = torch.func.jvp(f, (x,), (t,))
except (RuntimeError, IndexError) as e:
    got = str(e).splitlines()[0]
print(f"torch {torch.__version__}: expected {f(x)}, got {got}")
sys.exit(77 if isinstance(got, str) else 0)
