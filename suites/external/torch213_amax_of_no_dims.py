"""torch.compile, aot_eager_decomp_partition, 2.13.0: amax(x, dim=[], keepdim=True) reduces nothing;
eager and inductor reduce all dims, as the documentation of dim=() says. Silent.

Found by: fusillade fuzz --plan torch:aot --seed 1; blame: aot (decomposition). Exits 77 while it
lives.
"""

import sys

import torch

x = torch.tensor([True, False])
expected = torch.amax(x, [], True)
actual = torch.compile(lambda x: torch.amax(x, [], True), backend="aot_eager_decomp_partition")(x)
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(77 if not torch.equal(expected, actual) else 0)
