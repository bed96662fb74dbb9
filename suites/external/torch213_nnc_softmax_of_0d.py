"""TorchScript's TensorExpr fuser, 1.13.1 and 2.13.0: softmax and log_softmax of a 0-d tensor raise.

Found by: fusillade fuzz --plan 'torch:script(nnc)' --seed 1505. Exits 77 while it lives.
"""

import sys

import torch

(
    torch._C._jit_override_can_fuse_on_cpu(True),
    torch._C._jit_set_texpr_fuser_enabled(True),
    torch.set_grad_enabled(False),
)
torch._C._jit_set_te_must_use_llvm_cpu(False), torch._C._jit_set_texpr_reductions_enabled(True)


def f(x):
    return torch.softmax(x * 2, 0)


x, scripted = torch.tensor(1.5), torch.jit.script(f)
try:
    actual = [scripted(x) for _ in range(3)][-1]
except RuntimeError as e:
    actual = str(e).strip().splitlines()[-1]
print(f"torch {torch.__version__}: expected {f(x)}, got {actual}")
sys.exit(77 if isinstance(actual, str) else 0)
