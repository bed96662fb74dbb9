"""torch.compile, aot_eager_decomp_partition and inductor, 2.13.0: aten.add.Scalar and sub.Scalar
with alpha raise TypeError in their decomposition; eager runs them.

Found by: fusillade fuzz --plan torch:aot --seed 1; blame: aot (decomposition). Exits 77 while it
lives.
"""

import sys

import torch

add, x = torch.ops.aten.add.Scalar, torch.ones(1)
try:
    actual = torch.compile(lambda x: add(x, 3, 2), backend="aot_eager_decomp_partition")(x)
except Exception as e:
    actual = f"{type(e).__name__}: {str(e).splitlines()[0]}"
print(f"torch {torch.__version__}: expected {add(x, 3, 2)}, got {actual}")
sys.exit(77 if isinstance(actual, str) else 0)
