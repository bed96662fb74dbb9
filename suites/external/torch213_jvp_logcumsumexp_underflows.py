"""torch.func.jvp, 2.13.0: the tangent of the first result of logcumsumexp is the first tangent;
it is 0 where a number 104 greater follows, as it is taken relative to the greatest of all.
Silent.

Found by: tangents against gradients and against differences, one operator at a time
(results/found.md). Exits 77 while it lives.
"""

import sys

import torch


def f(x):
    return x.logcumsumexp(0)


x, t = torch.tensor([0.0, 300.0]), torch.ones(2)
expected, (_, got) = torch.func.jacrev(f)(x) @ t, torch.func.jvp(f, (x,), (t,))
print(f"torch {torch.__version__}: expected {expected.tolist()}, got {got.tolist()}")
sys.exit(77 if not torch.allclose(got, expected) else 0)
