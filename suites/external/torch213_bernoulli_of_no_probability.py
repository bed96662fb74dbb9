"""torch.compile, inductor, 2.13.0: bernoulli takes numbers that are no probabilities, which eager
mode refuses. Silent.

Found by: `fusillade check` of a program like that of the report pytorch#185246
(results/public.md). Exits 77 while it lives.
"""

import sys

import torch

f, arguments = torch.bernoulli, (torch.tensor([2.0, -1.0]),)
expected = None
try:
    expected = f(*arguments)
except Exception as e:
    print(f"torch {torch.__version__}: expected {type(e).__name__}: {str(e)[:100]}")
got = torch.compile(f)(*arguments)
print(f"got {got}")
sys.exit(77 if expected is None else 0)
