# bench: f32[N] f32[N] N=16
"""A list that grows: remove_list_mutation makes it whole."""

from typing import List

import torch
from torch import Tensor


def remove_list_mutation(x: Tensor, y: Tensor) -> Tensor:
    parts: List[Tensor] = []
    a = torch.exp(x) + torch.sin(y)
    b = torch.tanh(a) - torch.sin(x)
    parts.append(b)
    c = torch.cos(b) / torch.sigmoid(a)
    d = torch.max(c, a) + torch.min(b, y)
    parts.append(d)
    e = torch.cat(parts)
    return torch.tanh(e) - torch.sin(e)
