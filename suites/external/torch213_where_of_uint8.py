"""torch.compile, 2.13.0, every backend: where by a condition of uint8 raises, which eager mode
takes with a warning. pytorch#161088.

Found by: fusillade fuzz --plan torch:compile --policy rows --seed 1502. Exits 77 while it lives.
"""

import logging
import sys
import warnings

import torch

warnings.simplefilter("ignore")
logging.disable()


def f(c):
    return torch.where(c, 1, 2)


c = torch.tensor([0, 5], dtype=torch.uint8)
try:
    actual = torch.compile(f, backend="aot_eager")(c)
except Exception as e:
    actual = f"{type(e).__name__}: {str(e).strip().splitlines()[-1]}"
print(f"torch {torch.__version__}: expected {f(c)}, got {actual}")
sys.exit(77 if isinstance(actual, str) else 0)
