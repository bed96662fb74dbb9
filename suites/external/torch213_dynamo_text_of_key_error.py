"""torch.compile, Dynamo, 2.13.0: `str` of a KeyError has no quotes: CPython shows the key by
`repr`. Silent.

Found by: a program by hand. Exits 77 while it lives.
"""

import sys

import torch


def f(x):
    try:
        return x + 1, {}["a"]
    except KeyError as e:
        return x + 1, str(e)


x = torch.zeros(1)
expected, actual = f(x)[1], torch.compile(f, backend="eager")(x)[1]
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if actual == expected else 77)
