"""TorchScript, 1.13.1 and 2.13.0: a bool tensor times 1 stays bool, where eager mode makes int64 of
it. Silent.

Found by: fusillade fuzz --plan 'torch:script(nnc)' --seed 1505. Exits 77 while it lives.
"""

import sys

import torch

torch.set_grad_enabled(False)


def f(x):
    return torch.isfinite(x) * 1


x, scripted = torch.tensor([1.5]), torch.jit.script(f)
expected, actual = f(x).dtype, [scripted(x) for _ in range(3)][-1].dtype
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(77 if actual != expected else 0)
