# bench: f32[N] N=16,4096,1048576
"""Square roots by Newton's method until the largest step is small: a loop that the data ends."""

import torch
from torch import Tensor


def step(x: Tensor, target: Tensor) -> Tensor:
    return 0.5 * (x + target / x)


def newton_loop(x: Tensor) -> Tensor:
    target = x * x + 1.0
    root = target
    turns = 0
    moved = True
    while moved and turns < 40:
        new_root = step(root, target)
        moved = bool((new_root - root).abs().amax() > 1e-4)
        root = new_root
        turns += 1
    return root
