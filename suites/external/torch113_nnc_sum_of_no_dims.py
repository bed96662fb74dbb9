"""TorchScript's TensorExpr fuser, 1.13.1: sum over no dims, [], reduces nothing in a fused group;
eager's reduces all (and of a 0-d result it is a SIGSEGV: torch.acos(torch.sum(x, d, False))).
Silent.

Found by: fusillade fuzz --plan 'torch:script(nnc)' --engine-python torch=/usr/bin/python3 --policy
chains --seed 2. Exits 77 while it lives.
"""

import sys
from typing import List

import torch

(
    torch._C._jit_override_can_fuse_on_cpu(True),
    torch._C._jit_set_texpr_fuser_enabled(True),
    torch.set_grad_enabled(False),
)
torch._C._jit_set_te_must_use_llvm_cpu(False), torch._C._jit_set_texpr_reductions_enabled(True)


def f(x):
    d: List[int] = []
    return x > torch.sum(x, d, True)


args = [torch.tensor([-3, 2])]
scripted = torch.jit.script(f)
try:
    actual = [scripted(*args) for _ in range(3)][-1]
except RuntimeError as e:
    actual = str(e).strip().splitlines()[-1]
print(f"torch {torch.__version__}: expected {f(*args)}, got {actual}")
sys.exit(77 if isinstance(actual, str) or not torch.equal(f(*args), actual) else 0)
