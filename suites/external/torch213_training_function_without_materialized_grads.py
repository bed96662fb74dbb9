"""torch.compile, Dynamo, training, 2.13.0: an autograd.Function with
`set_materialize_grads(False)` gets zeros for a gradient that nobody needs, in eager mode None.
Silent. pytorch#118396.

Found by: a program by hand. Exits 77 while it lives.
"""

import sys

import torch


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2, x * 3

    @staticmethod
    def backward(ctx, a, b):
        return a * 2 if b is None else a * 7


x = torch.ones(1, requires_grad=True)
compiled = torch.compile(lambda x: Twice.apply(x), backend="aot_eager")
expected = torch.autograd.grad(Twice.apply(x)[0], x)[0].item()
actual = torch.autograd.grad(compiled(x)[0], x)[0].item()
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if actual == expected else 77)
