"""torch.compile, inductor, 2.13.0: ldexp gives another dtype than eager mode: float16 for float16
and float32, float32 for int64 and float16. Silent.

Found by: values near zero, huge, infinite and NaN through every op, 40 ops a compile
(results/found.md). Exits 77 while it lives.
"""

import sys

import torch

wrong = 0
for a, b in ((torch.float16, torch.float32), (torch.int64, torch.float16)):
    pair = torch.ones(2, dtype=a), torch.ones(2, dtype=b)
    eager, compiled = torch.ldexp(*pair), torch.compile(lambda x, y: torch.ldexp(x, y))(*pair)
    print(
        f"torch {torch.__version__}: ldexp of {a}, {b}: expected {eager.dtype}, got "
        f"{compiled.dtype}"
    )
    wrong += eager.dtype != compiled.dtype
sys.exit(77 if wrong else 0)
