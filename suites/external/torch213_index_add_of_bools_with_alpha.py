"""torch.compile, aot_eager_decomp_partition and inductor, 2.13.0: index_add of bools with alpha
raises: the decomposition multiplies by alpha, which makes int64, and puts that into bools. Eager
runs it.

Found by: fusillade fuzz --plan torch:aot --seed 101; blame: aot (decomposition). Exits 77 while it
lives.
"""

import sys

import torch


def f(x, at):
    return x.index_add(0, at, x, alpha=2)


args = torch.tensor([True, False]), torch.tensor([0, 1])
try:
    actual = torch.compile(f, backend="aot_eager_decomp_partition")(*args)
except Exception as e:
    actual = f"{type(e).__name__}: {str(e).splitlines()[0]}"
print(f"torch {torch.__version__}: expected {f(*args)}, got {actual}")
sys.exit(77 if isinstance(actual, str) else 0)
