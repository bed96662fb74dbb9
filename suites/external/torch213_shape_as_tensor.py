"""torch.compile, aot_eager, 2.13.0: torch._shape_as_tensor of a tensor used again raises that data
is not allocated: it reads a tensor of the trace. Eager runs it.

Found by: fusillade fuzz --plan torch:compile --seed 3903; blame: torch:aot (tracing). Exits 77
while it lives.
"""

import sys

import torch


def f(x):
    return torch._shape_as_tensor(x) + x.sum()


x = torch.ones(2, 3)
try:
    actual = torch.compile(f, backend="aot_eager")(x)
except Exception as e:
    actual = f"{type(e).__name__}: {str(e).splitlines()[0]}"
print(f"torch {torch.__version__}: expected {f(x)}, got {actual}")
sys.exit(77 if isinstance(actual, str) else 0)
