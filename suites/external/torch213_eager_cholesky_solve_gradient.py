"""Eager mode, 1.13.1 and 2.13: the gradients of cholesky_solve and cholesky_inverse flow back to
the half of the factor that neither reads. Silent.

Found by: fusillade fuzz --plan torch:eager --engine-python torch=/usr/bin/python3 --oracle
peer_gradient --policy rows --seed 3. Exits 77 while it lives.
"""

import sys

import torch

u = torch.tensor([[1.0, 1.0], [5.0, 1.0]], dtype=torch.float64, requires_grad=True)
actual = [
    torch.autograd.grad(f.sum(), u)[0][1, 0].item()
    for f in (
        torch.cholesky_solve(torch.ones(2, 1).double(), u, upper=True),
        torch.cholesky_inverse(u, upper=True),
    )
]
expected = [0.0, 0.0]
print(
    f"torch {torch.__version__}: below the diagonal, which upper=True does not read, expected "
    f"{expected}, got {actual}"
)
sys.exit(77 if actual != expected else 0)
