"""torch.compile, Dynamo, 2.13.0: np.modf of a negative number takes the floor for the integer
part: 0.5 and -3 for -2.5, where NumPy gives -0.5 and -2. Silent.

Found by: a loop over functions of NumPy. Exits 77 while it lives.
"""

import sys

import numpy as np
import torch


def f(x):
    return np.stack(np.modf(x))


x = np.array([-2.5, 2.5])
expected = f(x).tolist()
actual = torch.compile(f, backend="eager")(x).tolist()
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if str(actual) == str(expected) else 77)
