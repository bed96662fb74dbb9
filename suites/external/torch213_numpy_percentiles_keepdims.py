"""torch.compile, Dynamo, 2.13.0: np.percentile of several percentages with `keepdims` keeps the
wrong dimension: the shape is (2, 1, 2) where NumPy's is (2, 2, 1). Silent.

Found by: a loop over functions of NumPy. Exits 77 while it lives.
"""

import sys

import numpy as np
import torch


def f(x):
    return np.percentile(x, [10, 20], axis=1, keepdims=True)


x = np.array([[3.0, 1.0, 2.0], [-1.0, 5.0, 0.0]])
expected = f(x).shape
actual = torch.compile(f, backend="eager")(x).shape
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if str(actual) == str(expected) else 77)
