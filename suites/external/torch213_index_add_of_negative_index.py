"""torch.compile, inductor, 2.13.0: index_add takes an index of -1, which eager mode refuses.
Silent.

Found by: `fusillade check` of a program like that of the report pytorch#185885
(results/public.md). Exits 77 while it lives.
"""

import sys

import torch


def f(x, index):
    return torch.index_add(x, 0, index, torch.ones([1, 3]))


arguments = (
    torch.zeros([4, 3]),
    torch.tensor([-1]),
)
expected = None
try:
    expected = f(*arguments)
except Exception as e:
    print(f"torch {torch.__version__}: expected {type(e).__name__}: {str(e)[:100]}")
got = torch.compile(f)(*arguments)
print(f"got {got}")
sys.exit(77 if expected is None else 0)
