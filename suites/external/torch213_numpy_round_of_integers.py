"""torch.compile, Dynamo, 2.13.0: np.round of integers to tens returns them as they are. Silent.

Found by: a loop over functions of NumPy. Exits 77 while it lives.
"""

import sys

import numpy as np
import torch


def f(x):
    return np.round(x, -1)


x = np.array([12, 125, -38])
expected = f(x).tolist()
actual = torch.compile(f, backend="eager")(x).tolist()
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if str(actual) == str(expected) else 77)
