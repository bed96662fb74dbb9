"""torch.compile, 2.13.0, aot_eager_decomp_partition and inductor: cat of one permuted tensor keeps
its strides. Silent.

Eager's are contiguous; a view of the result is then refused while it is compiled. Found by:
fusillade fuzz --plan torch:aot --seed 5 (strides). Exits 77 while it lives.
"""

import sys

import torch


def f(x):
    return torch.cat([x])


x = torch.rand(3, 4, 5).permute(2, 0, 1)
expected, actual = f(x).stride(), torch.compile(f, backend="aot_eager_decomp_partition")(x).stride()
try:
    viewed = torch.compile(lambda x: f(x).view(60))(x).shape
except Exception as e:
    viewed = str(e).splitlines()[1]
print(
    f"torch {torch.__version__}: strides expected {expected}, got {actual}; viewed: expected "
    f"{f(x).view(60).shape}, got {viewed}"
)
sys.exit(77 if actual != expected else 0)
