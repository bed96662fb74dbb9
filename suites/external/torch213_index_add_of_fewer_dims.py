"""torch.compile, inductor, 2.13.0: index_add takes a source with a dimension too few, which
eager mode refuses. Silent.

Found by: `fusillade check` of a program like that of the report pytorch#197554
(results/public.md). Exits 77 while it lives.
"""

import sys

import torch


def f(x, source):
    return torch.index_add(x, 0, torch.tensor([0, 2]), source)


arguments = (
    torch.zeros([3, 2]),
    torch.tensor([3.0, 4.0]),
)
expected = None
try:
    expected = f(*arguments)
except Exception as e:
    print(f"torch {torch.__version__}: expected {type(e).__name__}: {str(e)[:100]}")
got = torch.compile(f)(*arguments)
print(f"got {got}")
sys.exit(77 if expected is None else 0)
