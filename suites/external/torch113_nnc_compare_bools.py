"""TorchScript's TensorExpr fuser, 1.13.1: comparing two bools in a fused group raises UNSUPPORTED
DTYPE.

Found by: fusillade fuzz --plan 'torch:script(nnc)' --engine-python torch=/usr/bin/python3 --policy
chains --seed 2. Exits 77 while it lives.
"""

import sys

import torch

(
    torch._C._jit_override_can_fuse_on_cpu(True),
    torch._C._jit_set_texpr_fuser_enabled(True),
    torch.set_grad_enabled(False),
)
torch._C._jit_set_te_must_use_llvm_cpu(False), torch._C._jit_set_texpr_reductions_enabled(True)


def f(x, b):
    return (x == x) > b


args = [torch.ones(4, dtype=torch.int8), torch.tensor([True, False, True, False])]
scripted = torch.jit.script(f)
try:
    actual = [scripted(*args) for _ in range(3)][-1]
except RuntimeError as e:
    actual = str(e).strip().splitlines()[-1]
print(f"torch {torch.__version__}: expected {f(*args)}, got {actual}")
sys.exit(77 if isinstance(actual, str) or not torch.equal(f(*args), actual) else 0)
