"""torch.compile, inductor, 2.13.0: smooth_l1_loss with a negative beta, which eager mode refuses,
gives a number. Silent.

Found by: `fusillade check` of a program like that of the report pytorch#194501
(results/public.md). Exits 77 while it lives.
"""

import sys

import torch


def f(x, y):
    return torch.nn.functional.smooth_l1_loss(x, y, beta=-1.0)


arguments = (torch.ones(1), torch.zeros(1))
expected = None
try:
    expected = f(*arguments)
except Exception as e:
    print(f"torch {torch.__version__}: expected {type(e).__name__}: {str(e)[:100]}")
got = torch.compile(f)(*arguments)
print(f"got {got}")
sys.exit(77 if expected is None else 0)
