"""torch.func.jvp, 2.13.0: of equal numbers fmax has the derivative 1 by the second in forward
mode, by the first in reverse mode: the Jacobians by jacfwd and jacrev differ. Those of fmin,
maximum and minimum agree. Silent.

Found by: tangents against gradients and against differences, one operator at a time
(results/found.md). Exits 77 while it lives.
"""

import sys

import torch

x = torch.tensor(1.0)
expected = torch.func.jacrev(torch.fmax, argnums=(0, 1))(x, x)
got = torch.func.jacfwd(torch.fmax, argnums=(0, 1))(x, x)
print(f"torch {torch.__version__}: expected {expected}, got {got}")
sys.exit(77 if got != expected else 0)
