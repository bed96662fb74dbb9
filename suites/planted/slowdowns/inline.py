# bench: f32[N] f32[N] N=16
"""A function, called: inline leaves no call."""

import torch
from torch import Tensor


def wave(x: Tensor) -> Tensor:
    return torch.tanh(x) - torch.sin(x)


def inline(x: Tensor, y: Tensor) -> Tensor:
    a = torch.exp(x) + torch.sin(y)
    b = wave(a)
    c = torch.cos(b) / torch.sigmoid(a)
    d = torch.max(c, a) + torch.min(b, y)
    e = torch.sqrt(torch.abs(d)) + torch.relu(c)
    f = torch.tanh(e) - torch.sin(d)
    return torch.max(f, e) + torch.cos(f)
