"""torch.compile, Dynamo, 2.13.0: np.convolve with an infinite or NaN number is NaN where that
number is not reached: its padding is multiplied with it. Silent.

Found by: a loop over functions of NumPy. Exits 77 while it lives.
"""

import sys

import numpy as np
import torch


def f(x):
    return np.convolve(x, [1.0, float("inf")])


x = np.array([1.0, 2.0])
expected = f(x).tolist()
actual = torch.compile(f, backend="eager")(x).tolist()
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if str(actual) == str(expected) else 77)
