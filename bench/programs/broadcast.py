# bench: backward f32[N,1] f32[N] N=16,256,2048
"""A column against a row: every result is one of N times N, and the way back sums over either."""

import torch
from torch import Tensor


def broadcast(x: Tensor, y: Tensor) -> Tensor:
    return (x + y) * torch.sigmoid(x - y)
