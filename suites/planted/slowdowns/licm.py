# bench: f32[N] f32[N] N=16
"""A loop too long to be written out, of twenty ops and one that every iteration computes alike:
licm takes it out."""

import torch
from torch import Tensor


def licm(x: Tensor, y: Tensor) -> Tensor:
    a = torch.abs(x)
    for i in range(130):
        bound = torch.abs(y)
        b = torch.tanh(a) - torch.sin(a)
        c = torch.cos(b) / torch.sigmoid(a)
        d = torch.max(c, a) + torch.min(b, bound)
        e = torch.sqrt(torch.abs(d)) + torch.relu(c)
        f = torch.tanh(e) - torch.sin(d)
        a = torch.abs(f)
    return a
