"""torch.compile, Dynamo, 2.13.0: np.cbrt of a negative number is NaN: it is traced as `x ** (1 /
3)`. Silent. pytorch#198052.

Found by: a loop over functions of NumPy. Exits 77 while it lives.
"""

import sys

import numpy as np
import torch


def f(x):
    return np.cbrt(x)


x = np.array([-8.0, 27.0])
expected = f(x).round(6).tolist()
actual = torch.compile(f, backend="eager")(x).round(6).tolist()
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if str(actual) == str(expected) else 77)
