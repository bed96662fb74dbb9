"""torch.compile, Dynamo, 2.13.0: np.square and np.reciprocal of integers are float64: 2**53 + 1
loses its last digit, and 1 / 3 is not 0. Silent. pytorch#198056.

Found by: a loop over functions of NumPy. Exits 77 while it lives.
"""

import sys

import numpy as np
import torch


def f(x):
    return np.square(x)


x = np.array([3, 94906267])
expected = f(x).tolist()
actual = torch.compile(f, backend="eager")(x).tolist()
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if str(actual) == str(expected) else 77)
