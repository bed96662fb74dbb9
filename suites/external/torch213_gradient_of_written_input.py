"""torch.compile, aot_eager and inductor, 2.13.0: the way back through a function that writes its
input in place, where the gradient needs what was there, raises that a variable was modified.
Without torch.compile it gives the gradient.

Found by: fusillade fuzz --plan torch:aot --oracle peer_gradient --seed 21. Exits 77 while it lives.
"""

import sys

import torch


def f(x):
    return x.pow_(3.0).sum()


x = torch.ones(2, requires_grad=True)
expected = torch.autograd.grad(f(x * 1), x)[0]
try:
    got = torch.autograd.grad(torch.compile(f, backend="aot_eager")(x * 1), x)[0]
except RuntimeError as e:
    got = str(e).splitlines()[0]
print(f"torch {torch.__version__}: expected {expected}, got {got}")
sys.exit(77 if isinstance(got, str) else 0)
