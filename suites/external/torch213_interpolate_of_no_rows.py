"""torch.compile, inductor, 2.13.0: interpolate of an image without rows, which eager mode refuses,
reads what is not there. Silent.

Found by: `fusillade check` of a program like that of the report pytorch#197095
(results/public.md). Exits 77 while it lives.
"""

import sys

import torch


def f(x):
    return torch.nn.functional.interpolate(x, size=[4, 4], mode="nearest")


expected, x = None, torch.ones(1, 3, 0, 4)
try:
    expected = f(x)
except Exception as e:
    print(f"torch {torch.__version__}: expected {type(e).__name__}: {str(e)[:100]}")
print(f"got {torch.compile(f)(x)}")
sys.exit(77 if expected is None else 0)
