"""torch.compile, Dynamo, 2.13.0: a Python integer beyond an array's dtype wraps into it in
comparisons and np.clip: `x == -1` is true for 255 of uint8. Silent. pytorch#198052.

Found by: a loop over functions of NumPy. Exits 77 while it lives.
"""

import sys

import numpy as np
import torch


def f(x):
    return x == -1


x = np.array([1, 255], dtype=np.uint8)
expected = f(x).tolist()
actual = torch.compile(f, backend="eager")(x).tolist()
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if str(actual) == str(expected) else 77)
