"""torch.compile, inductor, 2.13.0: floor_divide with an infinite operand differs from eager, Python
and NumPy. Silent.

Found by: fusillade fuzz --plan torch:compile --seed 5; blame: compile (inductor). Exits 77 while it
lives.
"""

import sys

import torch

inf, wrong = float("inf"), 0
for a, b in ((inf, 1.0), (1e24, -inf), (5.0, -inf)):
    pair = torch.tensor([a]), torch.tensor([b])
    eager, compiled = torch.floor_divide(*pair), torch.compile(torch.floor_divide)(*pair)
    print(f"torch {torch.__version__}: {a} // {b}: expected {eager.item()}, got {compiled.item()}")
    wrong += not torch.equal(eager.nan_to_num(7), compiled.nan_to_num(7))
sys.exit(77 if wrong else 0)
