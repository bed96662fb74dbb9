"""torch.compile, 2.13.0, inductor: a result and a squeeze of it that squeezes nothing come back as
two memories. Silent.

In eager mode, and by aot_eager_decomp_partition, a write to one is seen in the other. Found by:
fusillade fuzz --plan torch:compile --seed 1501 (aliases). Exits 77 while it lives.
"""

import sys

import torch

torch.set_grad_enabled(False)


def f(x):
    y = (x * x).squeeze(0)
    y ^= 3
    return y, y.squeeze(0)


seen = []
for run in f, torch.compile(f):
    first, second = run(torch.arange(8))
    first.zero_()
    seen.append(second.sum().item())
print(
    f"torch {torch.__version__}: the second's sum after the first is cleared: expected {seen[0]}, "
    f"got {seen[1]}"
)
sys.exit(77 if seen[0] != seen[1] else 0)
