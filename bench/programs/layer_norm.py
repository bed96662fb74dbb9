# bench: backward f32[N,1024] f32[1024] f32[1024] N=16,1024,16384
"""Layer normalisation over the last dimension, written out: two reductions and element-wise ops."""

import torch
from torch import Tensor


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    mean = x.mean(-1, True)
    centred = x - mean
    variance = (centred * centred).mean(-1, True)
    return centred * torch.rsqrt(variance + 1e-5) * weight + bias
