"""torch.compile, inductor, 2.13.0: a view of an input that is a part of another, written input
raises or is of the wrong part.

Found by: `fusillade check` of a program like that of the report pytorch#198095
(results/public.md). Exits 77 while it lives.
"""

import sys

import torch


def f(base, part):
    base.add_(100)
    return part.view(-1)


eager, base = torch.ones(4, 6), torch.ones(4, 6)
f(eager, eager[1:])
try:
    got = torch.compile(f)(base, base[1:]).tolist()
except Exception as e:
    got = f"{type(e).__name__}: {e}"[:100]
print(f"torch {torch.__version__}: expected {eager[1:].reshape(-1).tolist()}, got {got}")
sys.exit(77 if got != eager[1:].reshape(-1).tolist() else 0)
