"""torch.compile, aot_eager and inductor, 2.13.0: vector_norm of a negative order over a dim of 3 of
a tensor with no rows raises that the dimension is empty, while its shape is inferred; eager gives
no elements.

Found by: values near zero, huge, infinite and NaN through every op, 40 ops a compile
(results/found.md). Exits 77 while it lives.
"""

import sys

import torch


def f(x):
    return torch.linalg.vector_norm(x, -1, dim=-1)


x = torch.empty(0, 3)
try:
    actual = torch.compile(f, backend="aot_eager")(x)
except Exception as e:
    actual = f"{type(e).__name__}: " + str(e).partition("got ")[2][:160]
print(f"torch {torch.__version__}: expected {f(x)}, got {actual}")
sys.exit(77 if isinstance(actual, str) else 0)
