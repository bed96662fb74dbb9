"""torch.compile, inductor and aot_eager_decomp_partition, 2.13.0: the strides of lerp of a permuted
tensor by a contiguous weight are the weight's, eager's are the permuted tensor's. Silent.

Found by: fusillade fuzz --plan torch:compile --seed 3901; blame: torch:aot (decomposition). Exits
77 while it lives.
"""

import sys

import torch


def f(x, weight):
    return torch.lerp(x, x, weight)


args = torch.zeros(3, 2).t(), torch.zeros(2, 3)
actual = torch.compile(f)(*args)
print(f"torch {torch.__version__}: expected strides {f(*args).stride()}, got {actual.stride()}")
sys.exit(0 if actual.stride() == f(*args).stride() else 77)
