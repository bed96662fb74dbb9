"""torch.compile, Dynamo, 2.13.0: np.correlate of an array with a longer one raises.

Found by: a loop over functions of NumPy. Exits 77 while it lives.
"""

import sys

import numpy as np
import torch


def f(x):
    return np.correlate(x, [1, 2, 3])


x = np.array([1, 2])
expected = f(x).tolist()
try:
    actual = torch.compile(f, backend="eager")(x).tolist()
except Exception as e:
    actual = f"{type(e).__name__}: {str(e).strip().splitlines()[0]}"
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if str(actual) == str(expected) else 77)
