"""torch.compile, Dynamo, 2.13.0: np.median, np.percentile and np.quantile over all elements give
an array of one element, where NumPy gives a number. Silent. pytorch#198056.

Found by: a loop over functions of NumPy. Exits 77 while it lives.
"""

import sys

import numpy as np
import torch


def f(x):
    return np.median(x)


x = np.array([1.0, 2.0, 4.0])
expected = f(x).shape
actual = torch.compile(f, backend="eager")(x).shape
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if str(actual) == str(expected) else 77)
