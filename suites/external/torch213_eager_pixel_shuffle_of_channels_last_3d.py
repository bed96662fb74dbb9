"""Eager mode, 1.13.1 and 2.13.0: pixel_shuffle and pixel_unshuffle of five dims raise where the
memory is that of channels_last_3d, and of the same elements laid otherwise do not.

Found by: fusillade fuzz --plan torch:eager --engine-python torch=/usr/bin/python3 --policy rows
--seed 77. Exits 77 while it lives.
"""

import sys

import torch

x, laid, actual = torch.zeros(1, 2, 2, 2, 2), torch.channels_last_3d, "a tensor"
torch.pixel_unshuffle(x, 2)
try:
    torch.pixel_unshuffle(x.contiguous(memory_format=laid), 2)
except RuntimeError as e:
    actual = str(e)
print(f"torch {torch.__version__}: {laid}: expected a tensor, got {actual}")
sys.exit(77 if "Unsupported memory format" in actual else 0)
