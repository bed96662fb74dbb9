"""torch.compile, Dynamo, 2.13.0: np.sign and np.heaviside of NaN are 0, where NumPy gives NaN.
Silent. pytorch#198052.

Found by: a loop over functions of NumPy. Exits 77 while it lives.
"""

import sys

import numpy as np
import torch


def f(x):
    return np.sign(x)


x = np.array([float("nan"), -2.0])
expected = f(x).tolist()
actual = torch.compile(f, backend="eager")(x).tolist()
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if str(actual) == str(expected) else 77)
