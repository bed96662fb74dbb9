"""torch.compile, aot_eager, 2.13.0: a write in place to an expanded tensor of bools raises:
functionalization adds up what was written by a subtraction, which bools lack. Eager runs it.

Found by: fusillade fuzz --plan torch:compile --seed 3901; blame: torch:aot (functionalization).
Exits 77 while it lives.
"""

import sys

import torch


def f(x):
    return x.clone().expand([3]).fill_(True)


x = torch.tensor(False)
try:
    actual = torch.compile(f, backend="aot_eager")(x)
except Exception as e:
    actual = f"{type(e).__name__}: {str(e).splitlines()[0]}"
print(f"torch {torch.__version__}: expected {f(x)}, got {actual}")
sys.exit(77 if isinstance(actual, str) else 0)
