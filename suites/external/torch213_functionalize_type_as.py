"""torch.func.functionalize, 2.13.0: type_as gives its operand where the dtypes are equal; a write
to the operand is not seen through it. Silent.

Found by: fusillade fuzz --plan torch:functionalize --oracle peer_gradient --seed 5. Exits 77 while
it lives.
"""

import sys

import torch


def f(x):
    x = x + 1
    y = x.type_as(x)
    x.add_(1)
    return y


expected = f(torch.zeros(2)).tolist()
got = torch.func.functionalize(f, remove="mutations_and_views")(torch.zeros(2)).tolist()
print(f"torch {torch.__version__}: expected {expected}, got {got}")
sys.exit(77 if got != expected else 0)
