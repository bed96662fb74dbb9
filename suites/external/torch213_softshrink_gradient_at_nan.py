"""torch.compile, aot_eager_decomp_partition and
inductor, 2.13.0: the gradient of softshrink at NaN is 0, in eager mode what
comes in. Silent.

Found by: a loop over gradients of functions; Exits 77
while it lives.
"""

import sys

import torch


def gradient(f):
    x = torch.tensor([float("nan"), 2], requires_grad=True)
    f(x).sum().backward()
    return x.grad.tolist()


f = torch.nn.functional.softshrink
expected = gradient(f)
got = gradient(torch.compile(lambda x: f(x), backend="aot_eager_decomp_partition"))
print(f"torch {torch.__version__}: expected {expected}, got {got}")
sys.exit(0 if got == expected else 77)
