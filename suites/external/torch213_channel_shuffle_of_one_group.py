"""torch.compile, 2.13.0, aot_eager_decomp_partition and inductor: channel_shuffle that moves
nothing gives the input's memory. Silent.

Eager's result has memory of its own, so a write to it leaves the input alone. Found by:
fusillade fuzz --plan torch:compile --policy rows --seed 1502 (aliases). Exits 77 while it lives.
"""

import sys

import torch


def f(x):
    return torch.channel_shuffle(x, 1)


x = torch.zeros(1, 2, 3)
f(x).fill_(1)
expected = x.sum().item()
torch.compile(f)(x).fill_(1)
print(
    f"torch {torch.__version__}: the input's sum after writes to results: expected {expected}, got "
    f"{x.sum().item()}"
)
sys.exit(77 if x.sum().item() != expected else 0)
