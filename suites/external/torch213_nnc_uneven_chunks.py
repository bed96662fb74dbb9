"""TorchScript's TensorExpr fuser, 1.13.1 and 2.13.0: chunk into parts of different sizes, in a
fused group, gives a later part elements from the wrong place. Silent.

Found by: fusillade fuzz --plan 'torch:script(nnc)' --seed 31; blame: nnc. Exits 77 while it lives.
"""

import sys

import torch

(
    torch._C._jit_override_can_fuse_on_cpu(True),
    torch._C._jit_set_texpr_fuser_enabled(True),
    torch.set_grad_enabled(False),
)
torch._C._jit_set_te_must_use_llvm_cpu(False)


def f(x):
    a, b, c = torch.chunk(x, 3, -2)
    return b + 1, c + 1, a >= 1


x = torch.arange(8).reshape(8, 1)
scripted = torch.jit.script(f)
actual = [scripted(x) for _ in range(3)][-1]
print(
    f"torch {torch.__version__}: expected {[t.flatten().tolist() for t in f(x)[:2]]}, got "
    f"{[t.flatten().tolist() for t in actual[:2]]}"
)
sys.exit(77 if not all(torch.equal(a, b) for a, b in zip(f(x), actual)) else 0)
