"""TorchScript, 2.13.0 and 1.13.1: what torch.jit.trace records of x + True cannot run: an internal
assertion, no op for aten::add(Tensor, bool, int), though eager mode takes it.

Found by: values near zero, huge, infinite and NaN through every op, 40 ops a compile
(results/found.md). Exits 77 while it lives.
"""

import sys

import torch


def f(x):
    return x + True


x = torch.ones(2)
traced = torch.jit.trace(f, (x,), check_trace=False)
try:
    actual = traced(x)
except RuntimeError as e:
    actual = " ".join(str(e).split())[-300:]
print(f"torch {torch.__version__}: expected {f(x)}, got {actual}")
sys.exit(77 if isinstance(actual, str) else 0)
