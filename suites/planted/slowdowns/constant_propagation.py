# bench: f32[N] f32[N] N=16
"""Twenty ops, one factor of which is computed of constants: constant_propagation knows it."""

import math

import torch
from torch import Tensor


def constant_propagation(x: Tensor, y: Tensor) -> Tensor:
    factor = 1.0 / math.sqrt(2.0 * 3.0)
    a = torch.exp(x) + torch.sin(y) * factor
    b = torch.tanh(a) - torch.sin(x)
    c = torch.cos(b) / torch.sigmoid(a)
    d = torch.max(c, a) + torch.min(b, y)
    e = torch.sqrt(torch.abs(d)) + torch.relu(c)
    f = torch.tanh(e) - torch.sin(d)
    return torch.max(f, e) + torch.cos(f)
