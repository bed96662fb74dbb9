"""Eager mode, 1.13.1: grid_sample of volumes, nearest, rounds a place between two elements away
from 0, that of planes to the even one. Mended since. Silent.

Found by: fusillade fuzz --plan torch:eager --engine-python torch=/usr/bin/python3 --seed 606. Exits
77 while it lives.
"""

import sys

import torch

line, place = torch.arange(3.0), torch.tensor([0, -0.5, 0])  # element 0.5 of the height
flat = torch.grid_sampler_2d(
    line.reshape(1, 1, 3, 1), place[:2].reshape(1, 1, 1, 2), 1, 0, True
).item()
deep = torch.grid_sampler_3d(
    line.reshape(1, 1, 1, 3, 1), place.reshape(1, 1, 1, 1, 3), 1, 0, True
).item()
print(
    f"torch {torch.__version__}: nearest to element 0.5: expected {flat} as in a plane, got {deep}"
)
sys.exit(77 if deep != flat else 0)
