"""torch.compile, Dynamo, training, 2.13.0: what an autograd.Function saved is written afterwards:
a wrong gradient, where eager mode raises. Silent.

Found by: a program by hand. Exits 77 while it lives.
"""

import sys

import torch


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0] * 2


def f(x):
    z, _ = Square.apply(y := x * 1), y.add_(1)
    return z


x, expected = torch.ones(1, requires_grad=True), 2.0
actual = torch.autograd.grad(torch.compile(f, backend="aot_eager")(x), x)[0].item()
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if actual == expected else 77)
