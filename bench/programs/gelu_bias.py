# bench: backward f32[N,1024] f32[1024] N=16,1024,16384
"""gelu(x + bias) in its tanh form, written out."""

import torch
from torch import Tensor


def gelu_bias(x: Tensor, bias: Tensor) -> Tensor:
    y = x + bias
    return 0.5 * y * (1.0 + torch.tanh(0.7978845608028654 * (y + 0.044715 * y * y * y)))
