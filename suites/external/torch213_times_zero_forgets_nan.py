"""torch.compile, inductor, 2.13.0: x * 0 and 0 / x, with an int for 0, are folded to 0 for each x:
NaN for NaN and infinities (and 0 / 0) is lost, also where a decomposition multiplies by 0 to keep
NaN (softshrink). Silent.

Found by: values near zero, huge, infinite and NaN through every op, 40 ops a compile
(results/found.md). Exits 77 while it lives.
"""

import sys

import torch

x = torch.tensor([float("nan"), float("inf"), 0.0])
wrong = 0
for f in (lambda x: x * 0, lambda x: 0 / x, torch.nn.functional.softshrink):
    eager, compiled = f(x), torch.compile(f)(x)
    print(f"torch {torch.__version__}: expected {eager.tolist()}, got {compiled.tolist()}")
    wrong += not torch.equal(eager.isnan(), compiled.isnan())
sys.exit(77 if wrong else 0)
