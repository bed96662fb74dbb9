"""torch.compile, inductor, 2.13.0: a copy of an input is made after a later write to that input.
Silent.

Found by: `fusillade check` of a program like that of the report pytorch#198131
(results/public.md). Exits 77 while it lives.
"""

import sys

import torch


def f(to, x):
    to[0:, :] = x[0:, :]
    x.add_(1)
    return x


eager, compiled = torch.zeros(3, 4), torch.zeros(3, 4)
f(eager, torch.ones(3, 4))
torch.compile(f)(compiled, torch.ones(3, 4))
print(f"torch {torch.__version__}: expected {eager}, got {compiled}")
sys.exit(0 if torch.equal(eager, compiled) else 77)
