"""torch.compile, aot_eager and inductor, 2.13.0: an in-place op on an expanded view of an input
loses precision, and gives nan for inf, as if x + (f(x) - x) were computed. Silent.

Found by: fusillade fuzz --plan torch:aot --seed 1; blame: aot (functionalisation). Exits 77 while
it lives.
"""

import sys

import torch

x = torch.tensor([[0, 0, 0, 1978.030762]])
with torch.no_grad():
    expected = x.expand(1, 4).cos()[0, 3].item()
    actual = torch.compile(lambda a: a.expand(1, 4).cos_(), backend="aot_eager")(x.clone())[
        0, 3
    ].item()
print(
    f"torch {torch.__version__}: expected {expected!r}, got {actual!r}; the bound is 4 ulp, 1.2e-7"
)
sys.exit(77 if abs(actual - expected) > 1.2e-7 else 0)
