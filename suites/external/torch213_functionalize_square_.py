"""torch.func.functionalize, 2.13.0: square_ raises that it is a custom operator, not of ATen. So
do those in place that are made of others: absolute_, arccos_, multiply_, divide_, clip_,
greater_, fill_diagonal_, polygamma_, relu6_, selu_, &=.

Found by: fusillade fuzz --plan torch:functionalize --policy rows --seed 12 (results/found.md).
Exits 77 while it lives.
"""

import sys

import torch


def f(x):
    return x.clone().square_()


x = torch.ones(2)
try:
    got = torch.func.functionalize(f)(x)
except (RuntimeError, IndexError) as e:
    got = str(e).splitlines()[0]
print(f"torch {torch.__version__}: expected {f(x)}, got {got}")
sys.exit(77 if isinstance(got, str) else 0)
