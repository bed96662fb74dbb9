"""torch.compile, inductor's vector code, 2.13.0: max and min over all of a mask that comes from
doubles or int64 do not compile.

Found by: fusillade fuzz --plan torch:compile --seed 20261129; blame: torch:compile. Exits 77
while it lives.
"""

import sys

import torch


def f(x):
    return torch.isinf(x).max()


x, got = torch.ones(67, dtype=torch.float64), None
expected = f(x)
try:
    got = torch.compile(f)(x)
except Exception as e:
    got = f"{type(e).__name__}: {next(s for s in str(e).splitlines() if 'error:' in s)[-140:]}"
print(f"torch {torch.__version__}: expected {expected}, got {got}")
sys.exit(77 if isinstance(got, str) else 0)
