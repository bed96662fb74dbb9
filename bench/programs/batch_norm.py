# bench: backward f32[8,16,N,N] f32[16] f32[16] N=4,16,64
"""Batch normalisation with the batch's own statistics, written out: reductions over three of four
dimensions."""

import torch
from torch import Tensor


def batch_norm(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    mean = x.mean([0, 2, 3], True)
    centred = x - mean
    variance = (centred * centred).mean([0, 2, 3], True)
    return centred * torch.rsqrt(variance + 1e-5) * weight.view(1, -1, 1, 1) + bias.view(
        1, -1, 1, 1
    )
