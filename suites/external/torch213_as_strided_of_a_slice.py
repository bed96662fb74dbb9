"""torch.compile, inductor, 2.13.0: as_strided of a slice of a repeat has the memory of the slice
alone, and reads behind it. Silent.

Found by: `fusillade check` of a program like that of the report pytorch#197431
(results/public.md). Exits 77 while it lives.
"""

import sys

import torch


def f(x):
    full = x.repeat((3, 2))
    return torch.as_strided(full[:, ::2], (3, 2), full.stride())


x = torch.ones([1, 1])
expected, got = f(x), torch.compile(f)(x)
enough = got.untyped_storage().nbytes() >= 6 * 4
print(f"torch {torch.__version__}: expected 24 bytes, got {got.untyped_storage().nbytes()}")
sys.exit(0 if enough and torch.equal(expected, got) else 77)
