"""torch.compile, inductor, 2.13.0: expand with implicit=True raises LoweringException: its lowering
has no such argument, which PyTorch's own autograd uses. Eager and aot_eager run it.

Found by: fusillade fuzz --plan torch:compile --seed 3901; blame: torch:compile (lowering). Exits 77
while it lives.
"""

import sys

import torch


def f(x):
    return x.expand([2, 3], implicit=True) + 1


x = torch.ones(3)
try:
    actual = torch.compile(f)(x)
except Exception as e:
    actual = f"{type(e).__name__}: {str(e).splitlines()[0]}"
print(f"torch {torch.__version__}: expected {f(x)}, got {actual}")
sys.exit(77 if isinstance(actual, str) else 0)
