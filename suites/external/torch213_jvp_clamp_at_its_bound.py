"""torch.func.jvp, 2.13.0: where a number is its bound, clamp(min=tensor) has the derivative 1 by
the bound in forward mode, by the number in reverse mode: the Jacobians by jacfwd and jacrev
differ. Those of clamp_min agree. Silent.

Found by: tangents against gradients and against differences, one operator at a time
(results/found.md). Exits 77 while it lives.
"""

import sys

import torch


def f(x, low):
    return x.clamp(min=low)


x = torch.tensor(1.0)
expected = torch.func.jacrev(f, argnums=(0, 1))(x, x)
got = torch.func.jacfwd(f, argnums=(0, 1))(x, x)
print(f"torch {torch.__version__}: expected {expected}, got {got}")
sys.exit(77 if got != expected else 0)
