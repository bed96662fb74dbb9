"""torch.compile, inductor, 2.13.0: a scatter into a tensor of no elements, by itself, raises.

Found by: `fusillade check` of a program like that of the report pytorch#188213
(results/public.md). Exits 77 while it lives.
"""

import sys

import torch


def f(x):
    return torch.scatter(x, 0, x, x)


arguments = (torch.zeros([0]),)
try:
    got = torch.compile(f)(*arguments)
except Exception as e:
    got = f"{type(e).__name__}: {e}"[:150]
print(f"torch {torch.__version__}: expected {f(*arguments)}, got {got}")
sys.exit(77 if isinstance(got, str) else 0)
