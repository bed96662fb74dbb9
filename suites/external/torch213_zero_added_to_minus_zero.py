"""torch.compile, inductor, 2.13.0: 0 added to -0 is -0 in a fused kernel: its reciprocal is -inf.
Silent.

Found by: `fusillade check` of a program like that of the report pytorch#189799
(results/public.md). Exits 77 while it lives.
"""

import sys

import torch


def f(x):
    y = torch.ceil(x)
    return torch.reciprocal(y + torch.zeros_like(y))


arguments = (torch.tensor([-0.5, -0.1, -0.9]),)
eager = f(*[x.clone() for x in arguments])
compiled = torch.compile(f)(*[x.clone() for x in arguments])
print(f"torch {torch.__version__}: expected {eager}, got {compiled}")
sys.exit(0 if eager.dtype == compiled.dtype and torch.equal(eager, compiled) else 77)
