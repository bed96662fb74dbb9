"""torch.compile, inductor, 2.13.0: celu_ takes an alpha of 0, which eager mode refuses. Silent.

Found by: `fusillade check` of a program like that of the report pytorch#178480
(results/public.md). Exits 77 while it lives.
"""

import sys

import torch


def f(x):
    return torch.celu_(x, 0.0)


arguments = (torch.ones([2]),)
expected = None
try:
    expected = f(*arguments)
except Exception as e:
    print(f"torch {torch.__version__}: expected {type(e).__name__}: {str(e)[:100]}")
got = torch.compile(f)(*arguments)
print(f"got {got}")
sys.exit(77 if expected is None else 0)
