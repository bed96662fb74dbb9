"""torch.compile, Dynamo, 2.13.0: code that was compiled for two lists is taken for the same list
twice: what is appended to one is not in the other. Silent. pytorch#111713.

Found by: a program by hand. Exits 77 while it lives.
"""

import sys

import torch


def f(x, a, b):
    a.append(3)
    return x + len(b)


x = torch.zeros(1)
compiled = torch.compile(f, backend="eager")
compiled(x, [1], [1])
once, again = [1], [1]
expected, actual = f(x, once, once).item(), compiled(x, again, again).item()
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if actual == expected else 77)
