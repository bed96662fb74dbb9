# bench: backward f32[N,1024] f32[1024] f32[N,1024] f32[N,1024] f32[1024] f32[1024] N=4,64,4096
"""Bias, dropout, residual and layer normalisation, as behind each half of a transformer's layer.
Which elements drop out is told by an input of normal numbers (a tenth lies below -1.2816), so that
every call and every engine drops the same."""

import torch
from torch import Tensor


def bias_dropout_layer_norm(
    x: Tensor, bias: Tensor, residual: Tensor, noise: Tensor, weight: Tensor, shift: Tensor
) -> Tensor:
    kept = (noise > -1.2816).to(x.dtype)
    y = (x + bias) * kept * (1.0 / 0.9) + residual
    mean = y.mean(-1, True)
    centred = y - mean
    variance = (centred * centred).mean(-1, True)
    return centred * torch.rsqrt(variance + 1e-5) * weight + shift
