"""torch.compile, aot_eager_decomp_partition, 2.13.0: lerp with a bool for weight raises: the
decomposition hands it on as alpha of add. Eager and inductor run it.

Found by: fusillade fuzz --plan torch:aot --seed 101; blame: aot (decomposition). Exits 77 while it
lives.
"""

import sys

import torch


def f(x, y):
    return torch.lerp(x, y, False)


args = torch.ones(1, 1, dtype=torch.float64), torch.zeros((), dtype=torch.float64)
try:
    actual = torch.compile(f, backend="aot_eager_decomp_partition")(*args)
except Exception as e:
    actual = f"{type(e).__name__}: {str(e).splitlines()[0]}"
print(f"torch {torch.__version__}: expected {f(*args)}, got {actual}")
sys.exit(77 if isinstance(actual, str) else 0)
