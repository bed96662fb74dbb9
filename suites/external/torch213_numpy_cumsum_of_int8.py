"""torch.compile, Dynamo, 2.13.0: np.cumsum and np.cumprod of small integers stay in their dtype
and wrap, where NumPy counts in int64. Silent. pytorch#198056.

Found by: a loop over functions of NumPy. Exits 77 while it lives.
"""

import sys

import numpy as np
import torch


def f(x):
    return np.cumsum(x)


x = np.array([100, 100, 100], dtype=np.int8)
expected = f(x).tolist()
actual = torch.compile(f, backend="eager")(x).tolist()
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if str(actual) == str(expected) else 77)
