"""torch.compile, Dynamo, 2.13.0: np.rollaxis permutes by view, that is reshapes, and raises.

Found by: a loop over functions of NumPy. Exits 77 while it lives.
"""

import sys

import numpy as np
import torch


def f(x):
    return np.rollaxis(x, 2)


x = np.zeros((2, 3, 4))
expected = f(x).shape
try:
    actual = torch.compile(f, backend="eager")(x).shape
except Exception as e:
    actual = f"{type(e).__name__}: {str(e).strip().splitlines()[0]}"
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if str(actual) == str(expected) else 77)
