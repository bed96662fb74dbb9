"""torch.compile, inductor, 2.13.0: an int64 arange times a number is computed in int32. Silent.

Found by: `fusillade check` of a program like that of the report pytorch#175966
(results/public.md). Exits 77 while it lives.
"""

import sys

import torch


def f(x):
    return torch.arange(0, 11, dtype=torch.int64) * 1000000000 + x


arguments = (torch.zeros(11, dtype=torch.int64),)
eager = f(*[x.clone() for x in arguments])
compiled = torch.compile(f)(*[x.clone() for x in arguments])
print(f"torch {torch.__version__}: expected {eager}, got {compiled}")
sys.exit(0 if eager.dtype == compiled.dtype and torch.equal(eager, compiled) else 77)
