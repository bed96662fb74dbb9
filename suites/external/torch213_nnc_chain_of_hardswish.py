"""TorchScript's TensorExpr fuser, 1.13.1 and 2.13.0: each hardswish or hardsigmoid more in a chain
takes ten times as long to compile.

Five of them take 20 to 50 seconds. Found by: fusillade fuzz --plan 'torch:script(nnc)' --seed 5.
Exits 77 while it lives.
"""

import sys
import time

import torch

(
    torch._C._jit_override_can_fuse_on_cpu(True),
    torch._C._jit_set_texpr_fuser_enabled(True),
    torch.set_grad_enabled(False),
)
torch._C._jit_set_te_must_use_llvm_cpu(False)


def two(x):
    return torch._C._nn.hardswish(torch._C._nn.hardswish(x))


def four(x):
    return torch._C._nn.hardswish(
        torch._C._nn.hardswish(torch._C._nn.hardswish(torch._C._nn.hardswish(x)))
    )


def seconds(f):
    scripted, x, start = torch.jit.script(f), torch.rand(64), time.process_time()
    return [scripted(x) for _ in range(3)] and time.process_time() - start


warm, of_two, of_four = seconds(two), seconds(two), seconds(four)
print(
    f"torch {torch.__version__}: expected 2 times, got {of_four / of_two:.0f} times the "
    f"{of_two:.2f} s of two for four of them"
)
sys.exit(77 if of_four > 10 * of_two else 0)
