# bench: backward f32[N,1024] N=16,1024,16384
"""softmax(x * scale) over the last dimension, written out with its maximum taken off."""

import torch
from torch import Tensor


def softmax_scale(x: Tensor) -> Tensor:
    y = x * 0.125
    e = torch.exp(y - torch.amax(y, -1, True))
    return e / torch.sum(e, -1, True)
