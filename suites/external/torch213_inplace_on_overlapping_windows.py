"""torch.compile, aot_eager, inductor, 2.13.0: abs_ of windows of an own tensor that overlap raises.

Found by: `fusillade check` of a program like that of the report pytorch#183888
(results/public.md). Exits 77 while it lives.
"""

import sys

import torch


def f(x):
    return torch.add(x, x).unfold(0, 4, 2).abs_()


arguments = (torch.linspace(-3, 3, 7),)
try:
    got = torch.compile(f)(*arguments)
except Exception as e:
    got = f"{type(e).__name__}: {e}"[:150]
print(f"torch {torch.__version__}: expected {f(*arguments)}, got {got}")
sys.exit(77 if isinstance(got, str) else 0)
