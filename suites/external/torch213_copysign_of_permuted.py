"""torch.compile, inductor, 2.13.0: copysign of a permuted tensor and a 0-d one has other strides.
Silent. pytorch#198364.

Found by: fusillade fuzz --plan torch:compile --seed 20261129; blame: torch:compile (lowering).
Exits 77 while it lives.
"""

import sys

import torch


def f(x, y):
    return torch.copysign(x, y)


x = torch.ones(3, 7).t()
y = torch.tensor(-1.0)
expected = f(x, y).stride()
got = torch.compile(f, backend="inductor")(x, y).stride()
print(f"torch {torch.__version__}: expected {expected}, got {got}")
sys.exit(0 if got == expected else 77)
