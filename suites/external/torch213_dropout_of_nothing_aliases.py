"""torch.compile, aot_eager_decomp_partition and inductor, 2.13.0: native_dropout with p = 0 gives
its input itself, where eager gives a copy: a write to the result changes the input. Silent.

Found by: fusillade check of a script with dropouts (aliases); blame: torch:aot (decomposition).
Exits 77 while it lives.
"""

import sys

import torch


def f(x):
    return torch.native_dropout(x, 0.0, True)[0]


def run(g):
    x = torch.zeros(2)
    g(x).add_(1)
    return x.tolist()


expected, actual = run(f), run(torch.compile(f))
print(f"torch {torch.__version__}: expected {expected}, got {actual}")
sys.exit(0 if actual == expected else 77)
