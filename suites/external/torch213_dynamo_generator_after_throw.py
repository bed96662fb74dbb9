"""torch.compile, Dynamo, 2.13.0: a generator that caught what was thrown into it and is then
exhausted: an IndexError of the compiler.

Found by: a program by hand. Exits 77 while it lives.
"""

import sys

import torch


def numbers():
    try:
        yield 1
    except ValueError:
        yield 2


def f(x):
    next(generator := numbers())
    return x + generator.throw(ValueError()) + len(list(generator))


expected = f(torch.zeros(1)).item()
try:
    actual = torch.compile(f, backend="eager")(torch.zeros(1)).item()
except Exception as e:
    actual = f"{type(e).__name__}: {str(e).strip().splitlines()[0]}"
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if actual == expected else 77)
