"""torch.compile, inductor, 2.13.0: x + alpha * (a @ b), as torch.add with alpha, becomes addmm and
its alpha is lost. Silent.

Found by: fusillade fuzz --plan torch:compile --seed 3901; blame: torch:compile (inductor's
post-grad patterns). Exits 77 while it lives.
"""

import sys

import torch


def f(x, a, b):
    return torch.add(x, a @ b, alpha=3)


args = torch.zeros(2, 2), torch.ones(2, 2), torch.ones(2, 2)
actual = torch.compile(f)(*args)
print(f"torch {torch.__version__}: expected {f(*args).tolist()}, got {actual.tolist()}")
sys.exit(0 if torch.equal(actual, f(*args)) else 77)
