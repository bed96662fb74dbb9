# bench: backward f32[N] f32[N] f32[N] f32[N] f32[N] f32[N] f32[N] f32[N] N=16,4096,1048576
"""Intersection over union of N pairs of boxes, each box a corner and a width and height:
element-wise."""

import torch
from torch import Tensor


def ratio_iou(
    x1: Tensor, y1: Tensor, w1: Tensor, h1: Tensor, x2: Tensor, y2: Tensor, w2: Tensor, h2: Tensor
) -> Tensor:
    xi = torch.max(x1, x2)
    yi = torch.max(y1, y2)
    wi = torch.clamp(torch.min(x1 + w1, x2 + w2) - xi, min=0)
    hi = torch.clamp(torch.min(y1 + h1, y2 + h2) - yi, min=0)
    area_i = wi * hi
    area_u = w1 * h1 + w2 * h2 - wi * hi
    return area_i / torch.clamp(area_u, min=1e-5)
