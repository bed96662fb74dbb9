"""torch.compile, Dynamo, training, 2.13.0: a hook that is registered and removed inside raises an
AssertionError of the compiler.

Found by: a program by hand. Exits 77 while it lives.
"""

import sys

import torch


def f(x):
    y = x * 2
    y.register_hook(lambda g: g * 10).remove()
    return y * 3


x = torch.ones(1, requires_grad=True)
expected = torch.autograd.grad(f(x), x)[0].item()
try:
    actual = torch.autograd.grad(torch.compile(f, backend="aot_eager")(x), x)[0].item()
except Exception as e:
    actual = f"{type(e).__name__}: {str(e).strip().splitlines()[0]}"
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if actual == expected else 77)
