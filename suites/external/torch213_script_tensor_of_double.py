"""TorchScript, 2.13.0 and 1.13.1: torch.tensor of a number goes through float32 before it is the
dtype asked. Silent.

Found by: policy rows, `fusillade fuzz --plan torch:eager` (results/found.md), which calls
torch.ops.aten.tensor. torch.tensor(0.1, dtype=torch.float64) is 0.1 in eager mode; the same line
scripted gives 0.10000000149011612, as does torch.as_tensor, and 1e300 is refused. Exits 77 while it
lives.
"""

import sys

import torch


@torch.jit.script
def tenth():
    return torch.tensor(0.1, dtype=torch.float64)


print(f"torch {torch.__version__}: expected 0.1, got {tenth().item()}")
sys.exit(77 if tenth().item() != 0.1 else 0)
