"""torch.compile, inductor, 2.13.0: cumsum of a constant forgets its dtype. Silent.

Found by: `fusillade check` of a program like that of the report pytorch#189518
(results/public.md). Exits 77 while it lives.
"""

import sys

import torch


def f():
    return torch.ones(2, 4, 4, dtype=torch.bool).cumsum(1, dtype=torch.bfloat16)


arguments = ()
eager = f(*[x.clone() for x in arguments])
compiled = torch.compile(f)(*[x.clone() for x in arguments])
print(f"torch {torch.__version__}: expected {eager}, got {compiled}")
sys.exit(0 if eager.dtype == compiled.dtype and torch.equal(eager, compiled) else 77)
