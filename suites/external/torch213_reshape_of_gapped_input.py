"""torch.compile, aot_eager and inductor, 2.13.0: reshape of an input with gapped strides that was
written, also through its expand_as, raises that it is no view; eager copies, as the documentation
of reshape says.

Found by: fusillade fuzz --plan torch:aot --seed 101; blame: aot (functionalisation). Exits 77 while
it lives.
"""

import sys

import torch


def f(x):
    y = x.mul_(2).expand_as(x)
    return y.mul_(2).reshape(2, 7)


x = torch.arange(28)
try:
    actual = torch.compile(f, backend="aot_eager")(x.clone().reshape(7, 4)[:, :2]).tolist()
except Exception as e:
    actual = f"{type(e).__name__}: {str(e).splitlines()[0]}"
print(
    f"torch {torch.__version__}: expected {f(x.clone().reshape(7, 4)[:, :2]).tolist()}, got "
    f"{actual}"
)
sys.exit(77 if isinstance(actual, str) else 0)
