"""torch.compile, inductor, 2.13.0: bilinear upsampling takes int32, which eager mode refuses.
Silent.

Found by: `fusillade check` of a program like that of the report pytorch#193811
(results/public.md). Exits 77 while it lives.
"""

import sys

import torch


def f(x):
    return torch.ops.aten.upsample_bilinear2d(x, [4, 4], False, None, None)


arguments = (torch.ones([1, 1, 2, 2], dtype=torch.int32),)
expected = None
try:
    expected = f(*arguments)
except Exception as e:
    print(f"torch {torch.__version__}: expected {type(e).__name__}: {str(e)[:100]}")
got = torch.compile(f)(*arguments)
print(f"got {got}")
sys.exit(77 if expected is None else 0)
