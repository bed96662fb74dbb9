"""Eager mode, 1.13.1 and 2.13.0: aten::to.prim_dtype(x, None, copy=True) takes its dtype from
memory that nobody wrote.

Without a dtype it is the tensor's own, as with copy=False. Now and then SIGSEGV instead of an
error. Found by: fusillade fuzz --plan torch:eager --seed 5. Exits 77 while it lives.
"""

import sys

import torch

x = torch.tensor(3.5)
try:
    actual = torch.ops.aten.to.prim_dtype(x, None, False, True)
except RuntimeError as e:
    actual = str(e)
print(f"torch {torch.__version__}: expected {x}, got {actual}")
sys.exit(0 if isinstance(actual, torch.Tensor) and actual.dtype == x.dtype else 77)
