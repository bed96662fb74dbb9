"""Eager mode, 2.13.0 and 1.13.1: batch_norm of no channels with a weight raises IndexError; without
one it does not.

Found by: `fusillade fuzz --plan torch:eager` (results/found.md). instance_norm of no images does
likewise. Every other size of 0 gives an empty result. Exits 77 while it lives.
"""

import sys

import torch

none = torch.zeros(1, 0, 1, 1)
print(tuple(torch.batch_norm(none, None, None, None, None, True, 0.1, 1e-5, False).shape))
try:
    torch.batch_norm(none, torch.zeros(0), None, None, None, True, 0.1, 1e-5, False)
except IndexError as e:
    print(f"torch {torch.__version__}: expected an empty result, got IndexError: {e}")
    sys.exit(77)
