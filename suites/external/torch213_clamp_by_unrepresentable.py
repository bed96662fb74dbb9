"""torch.compile, inductor, 2.13.0: clamp takes bounds that float32 does not hold, which eager
mode refuses. Silent.

Found by: `fusillade check` of a program like that of the report pytorch#195675
(results/public.md). Exits 77 while it lives.
"""

import sys

import torch


def f(x):
    return torch.clamp(x, min=-3.4e39, max=3.4e39)


arguments = (torch.ones([2]),)
expected = None
try:
    expected = f(*arguments)
except Exception as e:
    print(f"torch {torch.__version__}: expected {type(e).__name__}: {str(e)[:100]}")
got = torch.compile(f)(*arguments)
print(f"got {got}")
sys.exit(77 if expected is None else 0)
