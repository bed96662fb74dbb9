"""torch.func.jvp, 2.13.0: an expanded primal raises that its elements share memory, before the
function is called.

Found by: fusillade fuzz --plan torch:jvp --policy rows --seed 13 (results/found.md). Exits 77 while
it lives.
"""

import sys

import torch


def f(x):
    return x.sin()


x, t = torch.ones(1).expand(3), torch.ones(3)
try:
    got = torch.func.jvp(f, (x,), (t,))
except (RuntimeError, IndexError) as e:
    got = str(e).splitlines()[0]
print(f"torch {torch.__version__}: expected {f(x)}, got {got}")
sys.exit(77 if isinstance(got, str) else 0)
