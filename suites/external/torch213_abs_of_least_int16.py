"""torch.compile, inductor's code without vectors, 2.13.0: abs of the least int16 or int8 is
compared as 32768 or 128. Silent.

Found by: fusillade fuzz --plan torch:compile --seed 20261130; blame: torch:compile. Exits 77 while
it lives.
"""

import sys

import torch


def f(x, y):
    return torch.abs(x) < y


x, y = torch.tensor([-(2**15), 1, -5], dtype=torch.int16), torch.tensor(0, dtype=torch.int16)
expected, got = f(x, y).tolist(), torch.compile(f)(x, y).tolist()
print(f"torch {torch.__version__}: expected {expected}, got {got}")
sys.exit(0 if got == expected else 77)
