"""torch.compile, inductor, 2.13.0: max over a dim of a constant tensor of NaN, or of bools, raises
ValueError: the constant is handed to SymPy, which compares neither. Eager and aot_eager run it.

Found by: fusillade fuzz --plan torch:compile --seed 3901; blame: torch:compile (lowering). Exits 77
while it lives.
"""

import sys

import torch


def f(x):
    return x + torch.full([4, 3], False).max(-1)[0]


x = torch.ones(4)
try:
    actual = torch.compile(f)(x)
except Exception as e:
    actual = f"{type(e).__name__}: {str(e).splitlines()[0]}"
print(f"torch {torch.__version__}: expected {f(x)}, got {actual}")
sys.exit(77 if isinstance(actual, str) else 0)
