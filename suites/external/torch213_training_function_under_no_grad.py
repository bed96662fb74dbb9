"""torch.compile, Dynamo, training, 2.13.0: an identity as an autograd.Function under
`torch.no_grad` lets the gradient through. Silent.

Found by: a program by hand. Exits 77 while it lives.
"""

import sys

import torch


class Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, g):
        return g * 7


def f(x):
    with torch.no_grad():
        y = Same.apply(x)
    return y * x


x, compiled = torch.ones(1, requires_grad=True), torch.compile(f, backend="aot_eager")
expected, actual = (torch.autograd.grad(g(x), x)[0].item() for g in (f, compiled))
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if actual == expected else 77)
