"""torch.compile, aot_eager and inductor, 2.13.0: an in-place op on a 0-d input that is not returned
is lost. Silent.

Found by: fusillade fuzz --plan torch:aot --seed 1; blame: aot (functionalisation). Exits 77 while
it lives.
"""

import sys

import torch

x = torch.tensor(0.0, dtype=torch.float64)
with torch.no_grad():
    torch.compile(lambda x, y: (x.logical_not_(), y)[1], backend="aot_eager")(x, torch.tensor(1.0))
print(f"torch {torch.__version__}: expected 1.0, got {x.item()}")
sys.exit(77 if x.item() != 1 else 0)
