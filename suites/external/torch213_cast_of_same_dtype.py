"""TorchScript, 1.13.1 and 2.13.0: a write is not seen through _cast_Float of a tensor that is of
that dtype already. Silent.

The op gives the tensor itself, its schema says a new one; the same through x.to(torch.float32) is
right. Found by: fusillade fuzz --plan 'torch:script(nnc)' --seed 5. Exits 77 while it lives.
"""

import sys

import torch

torch.set_grad_enabled(False)


def f(x):
    y = x * x
    z = torch._cast_Float(y)
    y.sign_()
    return z


x, scripted = torch.tensor(-3.0), torch.jit.script(f)
expected, actual = f(x), [scripted(x) for _ in range(3)][-1]
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if torch.equal(expected, actual) else 77)
