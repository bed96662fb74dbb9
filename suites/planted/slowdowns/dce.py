# bench: f32[N] f32[N] N=16
"""Forty ops and one that nothing needs: dce leaves it out."""

import torch
from torch import Tensor


def dce(x: Tensor, y: Tensor) -> Tensor:
    a = torch.exp(x) + torch.sin(y)
    unused = torch.exp(a)
    b = torch.tanh(a) - torch.sin(x)
    c = torch.cos(b) / torch.sigmoid(a)
    d = torch.max(c, a) + torch.min(b, y)
    e = torch.sqrt(torch.abs(d)) + torch.relu(c)
    f = torch.tanh(e) - torch.sin(d)
    g = torch.tanh(f) - torch.exp(e)
    h = torch.cos(g) / torch.sigmoid(f)
    k = torch.max(h, f) + torch.min(g, y)
    l = torch.sqrt(torch.abs(k)) + torch.relu(h)
    m = torch.tanh(l) - torch.sin(k)
    return torch.max(m, l) + torch.cos(m)
