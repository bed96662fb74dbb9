"""torch.func.jvp, 2.13.0: masked_fill of integers by a 0-d float fails an internal assertion;
without jvp it converts it.

Found by: tangents against gradients and against differences, one operator at a time
(results/found.md). Exits 77 while it lives.
"""

import sys

import torch


def f(x):
    return torch.zeros(2, dtype=torch.int64).masked_fill(torch.tensor([True, False]), x)


x, t = torch.tensor(2.0), torch.tensor(1.0)
try:
    got = torch.func.jvp(f, (x,), (t,))
except (RuntimeError, IndexError) as e:
    got = str(e).splitlines()[0]
print(f"torch {torch.__version__}: expected {f(x)}, got {got}")
sys.exit(77 if isinstance(got, str) else 0)
