# bench: f32[N] f32[N] N=16
"""A loop too long to be written out, of twenty ops and one whose last result nothing needs: dce
cuts it out of the iterations."""

import torch
from torch import Tensor


def loop_slot(x: Tensor, y: Tensor) -> Tensor:
    a = torch.abs(x)
    unused = torch.abs(y)
    for i in range(130):
        unused = torch.relu(unused)
        b = torch.tanh(a) - torch.sin(a)
        c = torch.cos(b) / torch.sigmoid(a)
        d = torch.max(c, a) + torch.min(b, y)
        e = torch.sqrt(torch.abs(d)) + torch.relu(c)
        f = torch.tanh(e) - torch.sin(d)
        a = torch.abs(f)
    return a
