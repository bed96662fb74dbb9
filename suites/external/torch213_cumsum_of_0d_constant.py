"""torch.compile, inductor, 2.13.0: cumsum of a 0-d constant raises.

Found by: `fusillade check` of a program like that of the report pytorch#193265
(results/public.md). Exits 77 while it lives.
"""

import sys

import torch


def f():
    return torch.tensor(5.0).cumsum(0)


arguments = ()
try:
    got = torch.compile(f)(*arguments)
except Exception as e:
    got = f"{type(e).__name__}: {e}"[:150]
print(f"torch {torch.__version__}: expected {f(*arguments)}, got {got}")
sys.exit(77 if isinstance(got, str) else 0)
