"""torch.compile, aot_eager and inductor, 2.13.0: a write through an unfold of an input sets what no
window covers to zero: the backward of unfold, a scatter into zeros, stands for the write back.
Silent.

Found by: fusillade fuzz --plan torch:aot --seed 101; blame: aot (functionalisation). Exits 77 while
it lives.
"""

import sys

import torch

x = torch.tensor([1.0, 2.0, 3.0])
with torch.no_grad():
    torch.compile(lambda a: a.unfold(0, 2, 2).neg_(), backend="aot_eager")(x)
print(f"torch {torch.__version__}: expected [-1.0, -2.0, 3.0], got {x.tolist()}")
sys.exit(77 if x[2] != 3 else 0)
