"""torch.compile, Dynamo, 2.13.0: np.fix rounds to the nearest integer, where NumPy rounds towards
0: it is traced as torch.round. Silent. pytorch#198052.

Found by: a loop over functions of NumPy. Exits 77 while it lives.
"""

import sys

import numpy as np
import torch


def f(x):
    return np.fix(x)


x = np.array([1.5, -2.75])
expected = f(x).tolist()
actual = torch.compile(f, backend="eager")(x).tolist()
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if str(actual) == str(expected) else 77)
