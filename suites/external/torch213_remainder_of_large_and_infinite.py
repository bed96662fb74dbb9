"""torch.compile, inductor, 2.13.0: remainder in vector code is x - y * floor(x / y): NaN for an
infinite divisor, and for a large quotient a result far beyond the divisor. Eager's is fmod with its
sign mended, and right. Silent.

Found by: values near zero, huge, infinite and NaN through every op, 40 ops a compile
(results/found.md). Exits 77 while it lives.
"""

import sys

import torch

wrong = 0
for x, y in ((1.0, float("inf")), (9.2e18, 7.0)):
    pair = torch.full((16,), x), torch.full((16,), y)
    eager, compiled = (
        torch.remainder(*pair)[0].item(),
        torch.compile(torch.remainder)(*pair)[0].item(),
    )
    print(f"torch {torch.__version__}: remainder({x}, {y}): expected {eager}, got {compiled}")
    wrong += not 0 <= compiled < y
sys.exit(77 if wrong else 0)
