"""torch.compile, aot_eager, 2.13.0: _grouped_mm of float32, which a cpu computes, raises that it
expects bfloat16: its meta function knows of the GPU's kernel only. Eager runs it.

Found by: fusillade check over a model with mixtures of experts; blame: torch:aot (meta function).
Exits 77 while it lives.
"""

import sys

import torch


def f(x, w, ends):
    return torch._grouped_mm(x, w, ends)


args = torch.ones(8, 16), torch.ones(2, 16, 4), torch.tensor([3, 8], dtype=torch.int32)
try:
    actual = torch.compile(f, backend="aot_eager")(*args).shape
except Exception as e:
    actual = f"{type(e).__name__}: {str(e).splitlines()[0]}"
print(f"torch {torch.__version__}: expected {f(*args).shape}, got {actual}")
sys.exit(77 if isinstance(actual, str) else 0)
