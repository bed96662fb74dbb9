"""torch.compile, inductor, 2.13.0: the softmax of a constant that is NaN raises.

Found by: `fusillade check` of a program like that of the report pytorch#188225
(results/public.md). Exits 77 while it lives.
"""

import sys

import torch


def f():
    one = torch.ones(2, 2)
    return torch.softmax(torch.arccosh(torch.log2(torch.atan2(one, one))), 1)


arguments = ()
try:
    got = torch.compile(f)(*arguments)
except Exception as e:
    got = f"{type(e).__name__}: {e}"[:150]
print(f"torch {torch.__version__}: expected {f(*arguments)}, got {got}")
sys.exit(77 if isinstance(got, str) else 0)
