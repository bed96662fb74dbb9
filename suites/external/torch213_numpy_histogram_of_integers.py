"""torch.compile, Dynamo, 2.13.0: np.histogram of integers cuts the edges of its bins off to
integers: 1, 1, 2, 3 where NumPy gives 1, 1.7, 2.4, 3.1. Silent.

Found by: a loop over functions of NumPy. Exits 77 while it lives.
"""

import sys

import numpy as np
import torch


def f(x):
    return np.histogram(x, 5)[1]


x = np.array([1, 3, 5, 8])
expected = f(x).tolist()
actual = torch.compile(f, backend="eager")(x).tolist()
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if str(actual) == str(expected) else 77)
