"""torch.compile, inductor, 2.13.0: round of int8 to decimals gives floats, which eager mode
refuses. Silent.

Found by: `fusillade check` of a program like that of the report pytorch#197554
(results/public.md). Exits 77 while it lives.
"""

import sys

import torch


def f(x):
    return torch.round(x, decimals=-1)


arguments = (torch.tensor([1, -2], dtype=torch.int8),)
expected = None
try:
    expected = f(*arguments)
except Exception as e:
    print(f"torch {torch.__version__}: expected {type(e).__name__}: {str(e)[:100]}")
got = torch.compile(f)(*arguments)
print(f"got {got}")
sys.exit(77 if expected is None else 0)
