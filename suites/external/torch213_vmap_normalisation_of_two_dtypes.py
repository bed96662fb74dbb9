"""torch.vmap, 2.13.0: layer_norm of bfloat16 by a weight of float32 is float32; without vmap it
is bfloat16. So are group_norm, batch_norm and instance_norm; batch_norm that does not train
raises. Silent.

Found by: fusillade fuzz --plan torch:vmap --policy rows --seed 11 (results/found.md). Exits 77
while it lives.
"""

import sys

import torch


def f(x, w):
    return torch.nn.functional.layer_norm(x, (3,), w)


x = torch.randn(2, 3).bfloat16()
w = torch.ones(2, 3)
each, got = [f(*row) for row in zip(x, w)], torch.vmap(f)(x, w)
expected, got = [r.dtype for r in each], [r.dtype for r in got]
print(f"torch {torch.__version__}: expected {expected}, got {got}")
sys.exit(77 if str(got) != str(expected) else 0)
