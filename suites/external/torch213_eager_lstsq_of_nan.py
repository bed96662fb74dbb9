"""Eager mode, 2.13.0: linalg.lstsq of a right side that holds NaN fails an internal assertion.

Found by: `fuzz --plan torch:eager` (results/found.md). linalg.solve of the same gives NaN;
ldl_factor of NaN fails likewise. Exits 77 while it lives.
"""

import math
import sys

import torch

try:
    torch.linalg.lstsq(torch.ones(1, 1), torch.tensor([[0.0, 0.0, 0.0, math.nan]]))
except RuntimeError as e:
    print(f"torch {torch.__version__}: expected NaN, got {str(e)[:60]}")
    sys.exit(77 if "INTERNAL ASSERT" in str(e) else 0)
