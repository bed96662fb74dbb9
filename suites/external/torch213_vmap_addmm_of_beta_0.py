"""torch.vmap, 2.13.0: addmm with beta=0 is NaN where its first operand is, which it then
ignores, as its documentation says and it does without vmap. addmv, addr, addbmm and baddbmm
ignore it. Silent.

Found by: operators over two different batches, one by one (results/found.md). Exits 77 while it
lives.
"""

import sys

import torch


def f(x, a):
    return torch.addmm(x, a, a, beta=0)


x = torch.full((2, 2, 2), torch.nan)
a = torch.ones(2, 2, 2)
each, got = [f(*row) for row in zip(x, a)], torch.vmap(f)(x, a)
expected, got = [r.tolist() for r in each], [r.tolist() for r in got]
print(f"torch {torch.__version__}: expected {expected}, got {got}")
sys.exit(77 if str(got) != str(expected) else 0)
