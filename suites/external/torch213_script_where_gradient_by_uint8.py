"""TorchScript, 1.13.1 and 2.13.0: the gradient of `where` by a uint8 condition inverts it bitwise:
1 becomes 254. Silent.

Right at the first call; from the second on, where the graph has its own gradient, the second
operand's is that of `where(~c, grad, 0)` as a product. Eager mode is right. Found by: pytorch-crf's
archive (results/found.md). Exits 77 while it lives.
"""

import sys

import torch


@torch.jit.script
def f(c, x, y):
    return torch.where(c, x.tanh(), y * y)


def gradient(call):
    x = torch.tensor([0.5, -1.0], requires_grad=True)
    y = torch.tensor([2.0, 3.0], requires_grad=True)
    call(torch.tensor([1, 1], dtype=torch.uint8), x, y).sum().backward()
    return y.grad.tolist()


expected = gradient(lambda c, x, y: torch.where(c.bool(), x.tanh(), y * y))
for _ in range(3):
    got = gradient(f)
print(f"torch {torch.__version__}: expected {expected}, got {got}")
sys.exit(77 if got != expected else 0)
