"""Eager mode, 2.13.0: _unsafe_masked_index of a tensor without elements sizes its result by the
indices. Silent.

Found by: `fuzz --plan torch:eager --policy rows` (results/found.md). The dims behind the last index
get the size 0; with more indices than dims it writes past that list of sizes, which ends the
process. Exits 77 while it lives.
"""

import sys

import torch

x, rows = torch.zeros(0, 2), torch.tensor([0, 0, 0])
expected = tuple(torch.zeros(1, 2)[rows].shape)
got = tuple(torch.ops.aten._unsafe_masked_index(x, torch.tensor(False), [rows], 7.0).shape)
print(f"torch {torch.__version__}: expected the shape {expected}, got {got}")
sys.exit(77 if got != expected else 0)
