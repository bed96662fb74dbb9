"""torch.compile, inductor, 2.13.0: nextafter of float16 steps in float32, which rounds back to
where it began. Silent.

Found by: `fusillade check` of a program like that of the report pytorch#187340
(results/public.md). Exits 77 while it lives.
"""

import sys

import torch


def f(x):
    return torch.nextafter(x, torch.zeros_like(x))


arguments = (torch.tensor([1.0, -1.0, 2.0], dtype=torch.float16),)
eager = f(*[x.clone() for x in arguments])
compiled = torch.compile(f)(*[x.clone() for x in arguments])
print(f"torch {torch.__version__}: expected {eager}, got {compiled}")
sys.exit(0 if eager.dtype == compiled.dtype and torch.equal(eager, compiled) else 77)
