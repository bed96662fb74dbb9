"""torch.compile, Dynamo, 2.13.0: a quotient of integers is float32, where NumPy's is float64:
digits are lost. Silent. pytorch#198056.

Found by: a loop over functions of NumPy. Exits 77 while it lives.
"""

import sys

import numpy as np
import torch


def f(x):
    return x / 3


x = np.array([2**24 + 1, 10])
expected = f(x).tolist()
actual = torch.compile(f, backend="eager")(x).tolist()
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if str(actual) == str(expected) else 77)
