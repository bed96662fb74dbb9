"""TorchScript's TensorExpr fuser, 1.13.1 and 2.13.0: remainder in a fused group is NaN for an
infinite divisor (and wrong for large quotients): x - y * floor(x / y). Silent.

Found by: values near zero, huge, infinite and NaN through every op, 40 ops a compile
(results/found.md). Exits 77 while it lives.
"""

import sys

import torch

(
    torch._C._jit_override_can_fuse_on_cpu(True),
    torch._C._jit_set_texpr_fuser_enabled(True),
    torch.set_grad_enabled(False),
)
torch._C._jit_set_te_must_use_llvm_cpu(False)


def f(x, y):
    return torch.remainder(x.abs(), y)


args = [torch.tensor([1.0, 9.2e18]), torch.tensor([float("inf"), 7.0])]
scripted = torch.jit.script(f)
actual = [scripted(*args) for _ in range(3)][-1]
print(f"torch {torch.__version__}: expected {f(*args)}, got {actual}")
sys.exit(77 if not torch.equal(actual, f(*args)) else 0)
