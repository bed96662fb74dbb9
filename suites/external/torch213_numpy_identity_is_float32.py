"""torch.compile, Dynamo, 2.13.0: np.identity, np.tri, np.logspace, np.geomspace and
np.fft.fftfreq are float32, where NumPy's are float64. Silent.

Found by: a loop over functions of NumPy. Exits 77 while it lives.
"""

import sys

import numpy as np
import torch


def f(x):
    return np.logspace(0, 1, 3) * x[0]


x = np.array([1.0])
expected = f(x).tolist()
actual = torch.compile(f, backend="eager")(x).tolist()
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if str(actual) == str(expected) else 77)
