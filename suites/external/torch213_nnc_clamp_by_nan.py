"""TorchScript's TensorExpr fuser, 1.13.1 and 2.13.0: clamp in a fused group passes over a bound
that is NaN; eager's gives NaN, as its documentation says. Silent.

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


def f(x, most: float):
    return torch.clamp(x.abs(), 1.0, most)


args = [torch.tensor([0.5, 3.0]), float("nan")]
scripted = torch.jit.script(f)
actual = [scripted(*args) for _ in range(3)][-1]
print(f"torch {torch.__version__}: expected {f(*args)}, got {actual}")
sys.exit(77 if not torch.equal(actual.isnan(), f(*args).isnan()) else 0)
